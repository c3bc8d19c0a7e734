// Whether a recorded command may be typed into a terminal for the person.
// Nothing is run here; the terminal and its folder stay out.
import { HIDDEN } from './texts';

/** The longest command that is typed, in characters. */
const MOST = 1_000;
/** Characters that are drawn as nothing although they count as letters or marks. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
/** What stands in the place of a secret; without its end, should that have been cut off. */
const REDACTED = '[redacted';
/** What stands at the end of a text that was cut. */
const CUT = '…';

/** Why a command is not typed, in words for the person; undefined where it may be. */
export function refusal(command: string | undefined): string | undefined {
  if (command === undefined || command.trim() === '') return 'No command is on record for this check.';
  // A terminal runs what stands before a line end at once, and completes at a tab.
  if (/\p{Cc}/u.test(command)) return 'The recorded command has line ends or control characters, so it is not typed.';
  if (command.replace(HIDDEN, '') !== command || INVISIBLE.test(command)) {
    return 'The recorded command has characters that can not be seen, so it is not typed.';
  }
  if (command.includes(REDACTED)) return 'A secret was taken out of the recorded command, so it is another one and is not typed.';
  if (command.trimEnd().endsWith(CUT)) return 'The recorded command was cut, so it is another one and is not typed.';
  if ([...command].length > MOST) return 'The recorded command is too long to be looked over, so it is not typed.';
  return undefined;
}
