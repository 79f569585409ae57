/** Words that say how something is asked, not what: of a question only the others are looked for. */
const words = `a about above after again all also am an and any are as at be because been before being below between both but by
  can could did do does doing done down during each else ever every few for from further get gets got had has have having
  he her here hers him his how i if in into is it its itself just know let like may me might more most must my no nor not
  now of off on once one only or other our ours out over own please same shall she should so some such tell than that the
  their theirs them then there these they this those through to too under until up us use used using very want was we were
  what when where which while who whom whose why will with would you your yours`;

export const stopWords: ReadonlySet<string> = new Set(words.split(/\s+/));
