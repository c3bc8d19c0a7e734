-- For Neovim 0.11 and later, in init.lua: no plugin, every file type, one server for each project.
vim.lsp.config('proofmark', {
  cmd = { 'proofmark', 'serve', '--stdio' },
  root_markers = { '.git' },
  -- A file of no project, such as a session's document, goes to the server that runs.
  reuse_client = function(client, config)
    return client.name == config.name and (not config.root_dir or config.root_dir == client.root_dir)
  end,
})
vim.lsp.enable('proofmark')
