-- A real Neovim with the set-up from editors/neovim: it sees a finding, retires the claim, and takes that back.
-- Started as `nvim --clean --headless -c 'luafile tests/editors/neovim.lua'` in a project with an open claim.
-- SETUP is the path of a file with the set-up's lines, FILE the file that the claim names, LINE its line, from 1.
local function say(text)
  io.stdout:write(text .. '\n')
end

local function wait(what, holds)
  assert(vim.wait(20000, holds, 20), what .. ' does not come to hold: ' .. vim.inspect(vim.diagnostic.get()))
end

local function claims()
  return vim.tbl_filter(function(diagnostic)
    return diagnostic.source == 'proofmark' and diagnostic.code == 'untried-claim'
  end, vim.diagnostic.get())
end

-- What the cursor offers, by title; run as the editor itself does.
local function act(buffer, line, title)
  vim.api.nvim_win_set_buf(0, buffer)
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  local ran = false
  wait('the action ' .. title, function()
    vim.lsp.buf.code_action({
      apply = true,
      filter = function(action)
        ran = ran or vim.startswith(action.title, title)
        return vim.startswith(action.title, title)
      end,
    })
    return vim.wait(500, function()
      return ran
    end, 20)
  end)
end

local done, failure = xpcall(function()
  dofile(vim.env.SETUP)
  vim.cmd.edit(vim.env.FILE)
  wait('one claim is shown', function()
    return #claims() == 1
  end)
  local claim = claims()[1]
  local buffer = vim.api.nvim_get_current_buf()
  assert(claim.bufnr == buffer and claim.lnum + 1 == tonumber(vim.env.LINE), vim.inspect(claim))
  assert(claim.severity == vim.diagnostic.severity.INFO, vim.inspect(claim))
  local lsp = claim.user_data.lsp
  assert(vim.uv.fs_stat(vim.uri_to_fname(lsp.codeDescription.href)), 'the page is not there')
  -- The session's document was never opened, and is held all the same.
  local document
  wait('the refused turn', function()
    document = vim.tbl_filter(function(diagnostic)
      return diagnostic.code == 'refused-turn'
    end, vim.diagnostic.get())[1]
    return document ~= nil
  end)
  assert(not vim.api.nvim_buf_is_loaded(document.bufnr), vim.inspect(document))
  vim.diagnostic.setqflist({ open = false })
  assert(#vim.fn.getqflist() == 2, vim.inspect(vim.fn.getqflist()))

  act(buffer, claim.lnum + 1, 'Retire this claim')
  wait('it is gone', function()
    return #claims() == 0
  end)

  vim.fn.bufload(document.bufnr)
  vim.api.nvim_win_set_buf(0, document.bufnr)
  local rows = vim.api.nvim_buf_get_lines(document.bufnr, 0, -1, false)
  for number, row in ipairs(rows) do
    if row:find('retired', 1, true) then
      wait('the document has a server', function()
        return #vim.lsp.get_clients({ bufnr = document.bufnr }) > 0
      end)
      act(document.bufnr, number, 'Undo')
    end
  end
  wait('it is back', function()
    return #claims() == 1
  end)
end, debug.traceback)
say(done and 'passed' or ('failed: ' .. tostring(failure)))
vim.cmd(done and 'qa!' or 'cquit 1')
