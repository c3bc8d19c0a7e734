-- For Neovim 0.11 and later, in init.lua: no plugin, every file type, one server for each project.
-- A file of no project, such as a session's document, goes to the server that runs.
vim.lsp.config('proofmark', {
  cmd = { 'proofmark', 'serve', '--stdio' }, root_markers = { '.git' },
  reuse_client = function(old, new) return old.name == new.name and (not new.root_dir or old.root_dir == new.root_dir) end,
})
vim.lsp.enable('proofmark')
