// A finding as a text for the agent: the server words it, for every editor alike.
// Where the text goes stays with the command.
import type { Shown } from '../model';
import type { Server } from '../server';

/** The text. */
export async function askPrompt(server: Server, { session, item }: Shown): Promise<string> {
  const answer = await server.request<unknown>('workspace/executeCommand', {
    command: 'proofmark.copyAsPrompt',
    arguments: [{ id: item.id, session: session.session }],
  });
  if (typeof answer !== 'string' || answer === '') throw new Error('There is no prompt for this finding.');
  return answer;
}
