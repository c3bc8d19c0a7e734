;;; proofmark.el --- Proofmark's findings in Emacs, by eglot  -*- lexical-binding: t; -*-
;; For Emacs 28 and later with eglot: `load' this file, and name the major modes in which you want findings.
;; Eglot runs one server for a buffer, so another language server of these modes stays out.

;;; Code:

(require 'eglot)
(require 'seq)

(defvar proofmark-modes '(python-mode)
  "Major modes whose buffers show Proofmark's findings.")

(dolist (mode proofmark-modes)
  (add-to-list 'eglot-server-programs (list mode "proofmark" "serve" "--stdio"))
  (add-hook (intern (format "%s-hook" mode)) #'eglot-ensure))

(defun proofmark-undo-retire ()
  "Open a claim again that was retired."
  (interactive)
  (let* ((server (or (eglot-current-server) (user-error "No server here")))
         (claims (jsonrpc-request server :listClaims nil))
         (retired (seq-filter (lambda (claim) (equal (plist-get claim :state) "retired")) claims))
         (rows (mapcar (lambda (claim) (cons (plist-get claim :claim) (plist-get claim :id))) retired))
         (chosen (completing-read "Claim: " rows nil t)))
    (eglot-execute-command server 'proofmark.undoRetire (vector (cdr (assoc chosen rows))))))

(provide 'proofmark)
;;; proofmark.el ends here
