/** One attribute of letters, a colour with its numbers included. */
const ATTRIBUTE = /[34]8;(?:5;\d+|2;\d+;\d+;\d+)|\d+/g;
/** Ends bold and dim. */
const END = '22';

/**
 * The serializer writes `1;22` where bold letters follow dim ones, and 22 ends both. Here the end comes first.
 * Only letters that are bold and dim at once may still lose one of the two.
 */
export const endWeightFirst = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for a control sequence
  text.replace(/\x1b\[([\d;]+)m/g, (_all, list: string) => {
    const attributes = list.match(ATTRIBUTE) ?? [];
    const others = attributes.filter((attribute) => attribute !== END);
    const isEnded = others.length < attributes.length;
    return `\x1b[${[...(isEnded ? [END] : []), ...others].join(';')}m`;
  });
