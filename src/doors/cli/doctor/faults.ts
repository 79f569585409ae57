/** Every fault that `cairn doctor` knows, in one table; docs/doctor.md is generated from it. Pure. */

export interface Fault {
  /** The part of the house, as the report groups its lines. */
  readonly check: string;
  readonly state: 'warning' | 'problem';
  readonly means: string;
  /** What to type or do. */
  readonly mend: string;
}

const warning = (check: string, means: string, mend: string): Fault => ({ check, state: 'warning', means, mend });
const problem = (check: string, means: string, mend: string): Fault => ({ check, state: 'problem', means, mend });

export const faults = {
  'node-too-old': problem('node', 'The Node that runs Cairn is too old.', 'Install Node 20.19 or newer.'),

  'bad-configuration': problem(
    'settings',
    'config.json, a flag or a variable has a value that is not allowed; what else is reported goes by the defaults.',
    'Correct the value; `cairn config` lists every setting and what it may be.',
  ),
  'unknown-variable': warning(
    'settings',
    'An environment variable looks like one of ours, but is none.',
    'Correct its name, or unset it; `cairn config` lists every variable.',
  ),
  'unread-variable': warning(
    'settings',
    'A variable of an original system is set that Cairn does not need.',
    'Unset it; docs/configuration.md says why it is not read.',
  ),
  'log-unwritable': problem(
    'log',
    'The log file cannot be written.',
    'Set MCP_LOG_FILE to a path that this user may write.',
  ),

  'home-not-writable': problem(
    'home',
    'This user may not write to the home.',
    'Give the folder to this user (chown, chmod u+w), or name another with --home.',
  ),
  'home-on-network': warning(
    'home',
    'The home lies on a network or shared file system, on which SQLite cannot lock safely.',
    'Move the home to a disk of this machine and name it with --home or CAIRN_HOME.',
  ),
  'home-synced': warning(
    'home',
    'The home lies in a folder that a program keeps equal on several machines, and that tears databases.',
    'Move the home out of it; share instructions/ and decisions/ through git.',
  ),
  'home-above': warning(
    'home',
    'Another home lies above this one, and its knowledge is not seen from here.',
    'Keep one of them: move what is in the other with `cairn import` or `git mv`, then remove it.',
  ),
  'home-elsewhere': warning(
    'home',
    'CAIRN_HOME or --home names another home than the one of the folder one is in.',
    'Unset CAIRN_HOME to use the one of the project.',
  ),
  'home-of-user': warning(
    'home',
    'This is a repository without a home of its own, so that its knowledge goes to the one in the user’s folder.',
    '`cairn init` makes one here.',
  ),
  'disk-full': problem(
    'disk',
    'Less than 64 MiB are free.',
    'Free some space; `cairn gc` gives back what nobody needs.',
  ),
  'disk-low': warning('disk', 'Less than 1 GiB is free.', 'Free some space; `cairn gc` gives back what nobody needs.'),

  'store-unusable': problem(
    'store',
    'The store cannot be used.',
    'Check the rights of the home, then run `cairn doctor` again.',
  ),
  'store-damaged': problem(
    'store',
    'state.db is damaged.',
    'Stop every Cairn, put state.db aside and restore it from a backup of the home; instructions and decisions are files and are safe.',
  ),
  'store-lost': problem(
    'store',
    'state.db is gone or empty beside contents of documents: it was deleted, or the first write ever was cut off.',
    'Stop every Cairn and restore state.db from a backup of the home; without one, add the documents again.',
  ),
  'file-misplaced': problem(
    'home',
    'A folder lies where Cairn reads a file, or a file where it reads a folder, which reads as if nothing were there.',
    'Move it away and put back what was there; history.git, git and `cairn backup list` may have it.',
  ),
  'store-newer': problem(
    'store',
    'state.db was written by a newer Cairn.',
    'Update Cairn: `npm install -g cairn-mcp@latest`.',
  ),
  'store-locked': problem(
    'store',
    'A process holds the write lock for longer than any write takes.',
    'End that process; what it had not committed is undone.',
  ),
  'writes-unfinished': warning(
    'store',
    'A crash cut file changes off; they are complete in the database.',
    'Any write completes them: `cairn instructions reload`.',
  ),
  'index-damaged': warning(
    'index',
    'index.db is damaged. It is derived: nothing is lost.',
    'The next call that meets the damage builds it again; if not, stop every Cairn and delete index.db.',
  ),
  'objects-damaged': problem(
    'documents',
    'objects.db is damaged.',
    '`cairn content_verify` names the documents; add them again, or restore objects.db from a backup.',
  ),
  'objects-missing': problem(
    'documents',
    'Contents that documents or snapshots name are gone.',
    '`cairn content_verify` names the documents; add them again, or restore objects.db from a backup.',
  ),

  'git-missing': warning('git', 'git was not found.', 'Install git; until then versions are kept, but not committed.'),
  'history-broken': warning(
    'git',
    'history.git cannot be read or written.',
    'Move history.git aside; the next write begins a new one.',
  ),
  'home-ignored': warning(
    'git',
    'The repository ignores the whole home, so that nobody else gets its instructions and decisions.',
    'Remove the line from .gitignore: the home has one of its own for what is private.',
  ),
  'databases-committed': problem(
    'git',
    'Databases or the history of the home are in the repository.',
    'Take them out of it with `git rm --cached`, and keep the .gitignore of the home.',
  ),

  'instruction-unreadable': problem(
    'instructions',
    'An instruction file cannot be read: torn JSON, a wrong type, conflict marks.',
    'Mend the file or move it out of the folder; all others are served.',
  ),
  'instruction-edited': warning(
    'instructions',
    'A body was edited by hand, and its hash does not fit.',
    '`cairn instructions repair` brings the hash up to date.',
  ),
  'reviews-overdue': warning(
    'instructions',
    'Instructions are overdue for review.',
    '`cairn due` lists them by owner.',
  ),
  'owners-malformed': problem(
    'instructions',
    'owners.json cannot be read, so that new instructions have no owner.',
    'Mend it: {"owners": [{"match": "web-*", "owner": "team-web"}]}.',
  ),
  'gates-malformed': problem(
    'instructions',
    'gates.json, or a gate in it, cannot be read, so that the gate does not hold.',
    'Mend it; `cairn gates` says what is wrong.',
  ),
  'criteria-malformed': problem(
    'instructions',
    'prompt-criteria.json cannot be read, so that no prompt is reviewed.',
    'Mend it, or remove it to use the criteria that come with Cairn.',
  ),

  'decision-unreadable': problem(
    'decisions',
    'A decision file cannot be read: front matter, conflict marks, a wrong status.',
    'Mend the file; all others are served.',
  ),
  'decisions-contested': problem(
    'decisions',
    'A target has two active decisions, as a merge by hand can leave it.',
    'Supersede all but one: `cairn supersede_decision`.',
  ),
  'decisions-unlinked': warning(
    'decisions',
    'A link between decisions leads nowhere or is not returned.',
    'Mend supersedes and superseded_by in both files.',
  ),
  'targets-malformed': problem(
    'decisions',
    'targets.json cannot be read, so that aliases of targets do not hold.',
    'Mend it: {"aliases": {"default": {"db": "database"}}}.',
  ),
  'citations-stale': warning(
    'stale',
    'Instructions or decisions cite files that have changed since.',
    '`cairn stale` lists them; `cairn stale_confirm ID` renews one that still holds.',
  ),

  'backup-old': warning(
    'backup',
    'The home is in use for weeks, and there is no backup of the last 30 days.',
    '`cairn backup create` and `cairn export_memory_bundle`; copy the home elsewhere as well.',
  ),
  'audit-broken': problem(
    'audit',
    'The audit trail was changed: its chain of hashes is broken.',
    'Compare with a backup of state.db; somebody or something changed it.',
  ),
  'clock-behind': warning(
    'clock',
    'The last write is dated in the future: the clock of this machine is behind, or one was ahead.',
    'Set the clock (timedatectl set-ntp true).',
  ),

  'port-taken': problem('http', 'Another program has the port.', 'Choose another port: `cairn serve --http 8788`.'),
  'http-open': problem(
    'http',
    'HTTP is to be served to other machines, and there is no key: it does not start.',
    '`cairn keys add NAME --role viewer` makes one.',
  ),
  'keys-revoked': warning(
    'http',
    'All keys are revoked, so that nobody gets in over HTTP.',
    '`cairn keys add NAME --role agent` makes a new one.',
  ),
  'webhooks-failing': warning(
    'webhooks',
    'A webhook does not take what it is sent.',
    'Mend the receiver; `cairn webhook_list` shows what was given up, `cairn webhook_retry` sends it again.',
  ),
  'client-lost': warning(
    'clients',
    'A client is set up to start a Cairn that is not there.',
    '`cairn install CLIENT` points it to this one.',
  ),

  'model-unavailable': warning(
    'embeddings',
    'The embedding model is missing or does not load, so that search goes by keywords.',
    'See docs/embeddings.md, or set CAIRN_EMBEDDINGS=none.',
  ),
  'model-key-open': warning('embeddings', 'The key of the endpoint is sent unencrypted.', 'Use an https URL.'),

  'check-failed': problem(
    'doctor',
    'One of the looks could not be taken.',
    'Mend what else is reported, then run `cairn doctor` again.',
  ),
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;
