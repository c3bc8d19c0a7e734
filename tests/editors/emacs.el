;;; emacs.el --- a real Emacs with the set-up from editors/emacs  -*- lexical-binding: t; -*-
;; It sees a finding in flymake, retires the claim by the code action, and takes that back.
;; Started as `emacs -q --batch -l tests/editors/emacs.el' in a project with an open claim; SETUP is the set-up's path,
;; FILE the file that the claim names, LINE its line, from 1.

;;; Code:

(require 'flymake)

(defun claims ()
  "The claims that flymake shows in this buffer."
  (seq-filter (lambda (shown) (string-match-p "proofmark \\[untried-claim\\]: Unverified: " (flymake-diagnostic-text shown)))
              (flymake-diagnostics)))

(defun wait (what holds)
  "Wait until HOLDS answers something; fail with WHAT and what is shown instead."
  (let ((end (+ (float-time) 30)))
    (while (not (funcall holds))
      (when (> (float-time) end)
        (error "%s does not come to hold: %S" what (mapcar #'flymake-diagnostic-text (flymake-diagnostics))))
      ;; Emacs 28 puts what comes in one piece with an answer aside until something more comes; a person who moves the
      ;; cursor has eldoc ask for that.
      (when-let ((server (eglot-current-server)))
        (jsonrpc-async-request server :status nil :success-fn #'ignore))
      (accept-process-output nil 0.1))))

(defun act (title)
  "Run the code action TITLE where the cursor is, as a person does."
  (let ((last-nonmenu-event ?\r))
    (cl-letf (((symbol-function 'completing-read) (lambda (_ choices &rest _) (car (assoc title choices)))))
      (call-interactively #'eglot-code-actions))))

(defun run ()
  "All of it."
  (load (getenv "SETUP") nil t)
  (setq python-indent-guess-indent-offset nil)
  (find-file (getenv "FILE"))
  ;; What the editor does after the command that has opened the file.
  (run-hooks 'post-command-hook)
  (wait "there is a server" #'eglot-current-server)
  ;; Once, as flymake does when nobody types: from here on it is told by the server.
  (flymake-start)
  (wait "one claim is shown" (lambda () (= 1 (length (claims)))))
  (let* ((claim (car (claims))) (line (line-number-at-pos (flymake-diagnostic-beg claim))))
    (unless (= line (string-to-number (getenv "LINE")))
      (error "The claim is shown on line %s" line))
    (goto-char (flymake-diagnostic-beg claim)))
  (act "Retire this claim")
  (wait "it is gone" (lambda () (null (claims))))
  (cl-letf (((symbol-function 'completing-read) (lambda (_ rows &rest _) (caar rows))))
    (call-interactively #'proofmark-undo-retire))
  (wait "it is back" (lambda () (= 1 (length (claims)))))
  (let ((server (eglot-current-server)))
    (eglot-shutdown server)))

(condition-case failure
    (progn (run) (princ "passed\n"))
  (error
   (princ (format "failed: %s\n" (error-message-string failure)))
   (kill-emacs 1)))
;;; emacs.el ends here
