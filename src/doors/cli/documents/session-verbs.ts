/** `cairn session …`: what can be typed. */
import type { Verb } from './verb.ts';

const load = () => import('./session.ts');
const named = { session: 'session-id' };

export const sessionVerbs: readonly Verb[] = [
  {
    name: 'session start',
    usage: '[LABEL]',
    about: 'begins a session, and says its id',
    notes:
      'A command ends and remembers nothing, so the commands after it name the session: --session ID. In a client or a connection it is known.',
    operation: 'session_start',
    spoken: ['label'],
    answersForOperation: true,
    examples: [
      ['cairn session start --label review', 'begins one'],
      ['cairn add docs --session ID', 'what is added belongs to it'],
    ],
    load: async () => (await load()).startSession,
  },
  {
    name: 'session stop',
    usage: 'ID',
    about: 'ends a session; its documents stay',
    operation: 'session_stop',
    spoken: ['session_id'],
    answersForOperation: true,
    aliases: named,
    examples: [['cairn session stop ID', '']],
    load: async () => (await load()).stopSession,
  },
  {
    name: 'session pin',
    usage: 'NAME… --session ID',
    about: 'ranks documents first in the searches of a session, and keeps them from gc',
    operation: 'session_pin',
    spoken: ['name', 'names', 'path'],
    answersForOperation: true,
    aliases: named,
    examples: [['cairn session pin docs/design.md --session ID', '']],
    load: async () => (await load()).pin,
  },
  {
    name: 'session unpin',
    usage: 'NAME… --session ID',
    about: 'takes pins back',
    operation: 'session_unpin',
    spoken: ['name', 'names', 'path'],
    answersForOperation: true,
    aliases: named,
    examples: [['cairn session unpin docs/design.md --session ID', '']],
    load: async () => (await load()).unpin,
  },
  {
    name: 'session watch',
    usage: 'PATH… --session ID',
    about: 'stores folders as they are; a server goes on as they change',
    notes:
      'A command stores what is there and ends. To go on as files change, ask a server (cairn serve) through its tool session with the action watch.',
    operation: 'session_watch',
    spoken: ['path', 'paths'],
    answersForOperation: true,
    aliases: { ...named, include: 'include-patterns', exclude: 'exclude-patterns' },
    examples: [["cairn session watch src docs --session ID --include '*.md'", '']],
    load: async () => (await load()).watch,
  },
  {
    name: 'session list',
    usage: '',
    about: 'lists your sessions, newest first',
    operation: 'session_list',
    answersForOperation: true,
    letters: { n: 'limit' },
    examples: [['cairn session list', '']],
    load: async () => (await load()).listSessions,
  },
];
