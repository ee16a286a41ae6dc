import { FormattedText } from '../../../conversations/message/markdown/formatted-text.tsx';
import { withReferences } from '../../../conversations/message/references.tsx';

/** The words of a message, in full. */
export const FormattedWords = ({ content }: { content: string }) => (
  <div class="body">
    <FormattedText text={content} drawWords={withReferences} />
  </div>
);
