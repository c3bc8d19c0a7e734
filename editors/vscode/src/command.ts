// Whether a recorded command may be typed into a terminal for the person.
// Nothing is run here; the terminal and its folder stay out.
import { HIDDEN } from './texts';

/** The longest command that is typed, in characters. */
const MOST = 1_000;

/** Why a command is not typed, in words for the person; undefined where it may be. */
export function refusal(command: string | undefined): string | undefined {
  if (command === undefined || command.trim() === '') return 'No command is on record for this check.';
  // A terminal runs what stands before a line end at once, and completes at a tab.
  if (/\p{Cc}/u.test(command)) return 'The recorded command has line ends or control characters, so it is not typed.';
  if (command.replace(HIDDEN, '') !== command) return 'The recorded command has characters that can not be seen, so it is not typed.';
  if ([...command].length > MOST) return 'The recorded command is too long to be looked over, so it is not typed.';
  return undefined;
}
