"""The language server under a client that reads every message strictly, with the capabilities of three editors.

SERVER is the command, ROOT a project with one open claim about FILE, STATE the state folder.
"""

import asyncio
import json
import os
import pathlib

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

ROOT = pathlib.Path(os.environ["ROOT"])
FILE = (ROOT / os.environ["FILE"]).as_uri()


@pytest_lsp.fixture(
    params=["neovim", "visual_studio_code", "emacs"],
    config=ClientServerConfig(server_command=json.loads(os.environ["SERVER"])),
)
async def client(request, lsp_client: LanguageClient):
    params = types.InitializeParams(
        capabilities=client_capabilities(request.param),
        root_uri=ROOT.as_uri(),
        workspace_folders=[types.WorkspaceFolder(uri=ROOT.as_uri(), name="project")],
    )
    result = await lsp_client.initialize_session(params)
    assert result.server_info.name == "proofmark"
    yield
    await lsp_client.shutdown_session()


async def shown(client: LanguageClient, count: int):
    """The findings of the file, once there are so many."""
    for _ in range(400):
        if FILE in client.diagnostics and len(client.diagnostics[FILE]) == count:
            return client.diagnostics[FILE]
        await asyncio.sleep(0.05)
    raise AssertionError(f"not {count} findings, but {client.diagnostics}")


@pytest.mark.asyncio
async def test_a_finding_is_pushed_and_can_be_retired_and_brought_back(client: LanguageClient):
    (finding,) = await shown(client, 1)
    assert (finding.source, finding.code) == ("proofmark", "untried-claim")
    assert finding.severity == types.DiagnosticSeverity.Information
    page = finding.code_description.href
    assert page.startswith("file://") and page.endswith("/untried-claim.md")
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=types.TextDocumentIdentifier(uri=FILE),
            range=finding.range,
            context=types.CodeActionContext(diagnostics=[finding]),
        )
    )
    titles = [action.title for action in actions]
    assert titles[:2] == ["Retire this claim", "Copy as prompt"]
    # Only where the client said that it can.
    assert set(titles[2:]) <= {"Open the session's document", "Open the transcript"}
    hover = await client.text_document_hover_async(
        types.HoverParams(
            text_document=types.TextDocumentIdentifier(uri=FILE),
            position=finding.range.start,
        )
    )
    assert hover.contents.value.startswith("**untried-claim**") and hover.range == finding.range
    claim = finding.data["claim"]
    for command, count in [("proofmark.retireClaim", 0), ("proofmark.undoRetire", 1)]:
        await client.workspace_execute_command_async(types.ExecuteCommandParams(command=command, arguments=[claim]))
        await shown(client, count)
