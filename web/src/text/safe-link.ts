/**
 * Which links of stored text may be followed. Threat: an address that runs (`javascript:`, `data:`), or that looks like one of
 * this page. So only the web and mail are links; everything else stays text.
 */
export function safeLink(address: string): string | undefined {
  // Control characters and white space inside an address are dropped by browsers, and so is what they hide.
  const plain = [...address].filter((character) => character > ' ' && character !== '\u007f').join('');
  return /^(?:https?:\/\/|mailto:)[^\s]+$/i.test(plain) ? plain : undefined;
}
