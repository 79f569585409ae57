/** Where the home lies, and whether it is the one that is meant. */
import { existsSync, statSync } from 'node:fs';
import { realpath, statfs } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { type Finding, found, ok, type Patient } from './finding.ts';

export async function home(patient: Patient): Promise<Finding[]> {
  const { app, workingFolder, userFolder } = patient;
  const { home: path, sources } = app.config;
  const real = await realpath(path).catch(() => path);
  const findings = [
    ...(await unwritable(patient)),
    ...networked(await typeOf(path), process.platform, path),
    ...synced(real),
    ...above(path, userFolder),
    ...elsewhere(path, sources.home, workingFolder, userFolder),
  ];
  return [ok('home', `${path} (${sources.home})`), ...findings];
}

async function unwritable({ app }: Patient): Promise<Finding[]> {
  const { writable, location } = await app.store.inspect();
  return writable || app.config.readOnly ? [] : [found('home-not-writable', `${location} cannot be written`)];
}

/** Of statfs on Linux. */
const networks = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9p, as Windows folders are in WSL'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x65735546, 'FUSE, as sshfs is'],
]);

export function networked(type: number | undefined, platform: NodeJS.Platform, path: string): Finding[] {
  const name = type === undefined || platform !== 'linux' ? undefined : networks.get(type >>> 0);
  return name === undefined ? [] : [found('home-on-network', `${path} lies on ${name}`)];
}

async function typeOf(path: string): Promise<number | undefined> {
  for (let folder = path; ; folder = dirname(folder)) {
    try {
      return (await statfs(folder)).type;
    } catch {
      if (folder === dirname(folder)) return undefined;
    }
  }
}

const syncers =
  /^(?:dropbox(?: \(.*\))?|onedrive(?: ?- ?.*)?|icloud ?drive.*|mobile documents|google ?drive.*|my drive|cloudstorage|nextcloud|owncloud|pcloud ?drive|megasync)$/i;

export function synced(path: string): Finding[] {
  const part = path.split(/[\\/]/).find((name) => syncers.test(name));
  return part === undefined ? [] : [found('home-synced', `${path} lies in ${part}`)];
}

function above(path: string, userFolder: string): Finding[] {
  const findings: Finding[] = [];
  for (let folder = dirname(dirname(path)); folder !== dirname(folder); folder = dirname(folder)) {
    const other = join(folder, '.cairn');
    // The one in the user's folder is for what belongs to no project.
    if (other !== path && folder !== userFolder && isFolder(other)) {
      findings.push(found('home-above', `${other} lies above ${path}`));
    }
  }
  return findings;
}

function elsewhere(path: string, source: string, workingFolder: string, userFolder: string): Finding[] {
  const named = source === 'CAIRN_HOME' || source === '--home';
  let repository: string | undefined;
  for (let folder = workingFolder; ; folder = dirname(folder)) {
    const near = join(folder, '.cairn');
    if (source === 'CAIRN_HOME' && near !== path && isFolder(near) && folder !== userFolder) {
      return [found('home-elsewhere', `${near} is not used: ${source} names ${path}`)];
    }
    if (repository === undefined && existsSync(join(folder, '.git'))) repository = folder;
    if (folder === dirname(folder)) break;
  }
  const isUsers = path === resolve(userFolder, '.cairn');
  const inside = repository !== undefined && !`${repository}${sep}`.startsWith(`${path}${sep}`);
  if (named || !isUsers || !inside || repository === userFolder) return [];
  return [found('home-of-user', `${repository} has no .cairn; ${path} is used`)];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
