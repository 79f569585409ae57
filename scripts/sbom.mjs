/**
 * `node scripts/sbom.mjs [FILE]`: what an installation consists of, as a CycloneDX bill of materials, made from package-lock.json
 * alone. The same lock gives the same bytes. Without a file it goes to stdout.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8');
const { packages } = JSON.parse(lockText);
const { license, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const own = packages[''];
const production = Object.entries(packages)
  .filter(([path, { dev }]) => path !== '' && dev !== true)
  .sort(([a], [b]) => (a < b ? -1 : 1));

const ownRef = purlOf(own.name, own.version);
const bill = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: `urn:uuid:${uuidOf(lockText)}`,
  version: 1,
  metadata: {
    component: {
      type: 'application',
      'bom-ref': ownRef,
      name: own.name,
      version: own.version,
      description,
      licenses: [{ license: { id: license } }],
      purl: ownRef,
    },
  },
  components: production.map(([path, facts]) => componentOf(path, facts)),
  dependencies: [
    { ref: ownRef, dependsOn: refsOf('', own.dependencies) },
    ...production.map(([path, facts]) => ({
      ref: refOf(path),
      dependsOn: refsOf(path, { ...facts.dependencies, ...facts.optionalDependencies, ...facts.peerDependencies }),
    })),
  ],
};

const text = `${JSON.stringify(bill, null, 2)}\n`;
const [file] = process.argv.slice(2);
if (file === undefined) process.stdout.write(text);
else writeFileSync(file, text);

function componentOf(path, { version, license: terms, integrity, optional }) {
  const [, group, name] = /^(?:(@[^/]+)\/)?(.+)$/.exec(nameAt(path));
  return {
    type: 'library',
    'bom-ref': refOf(path),
    ...(group !== undefined && { group }),
    name,
    version,
    scope: optional ? 'optional' : 'required',
    ...(integrity !== undefined && { hashes: integrity.split(' ').map(hashOf) }),
    ...(terms !== undefined && { licenses: [{ license: { id: terms } }] }),
    purl: purlOf(nameAt(path), version),
  };
}

/** The lock says `sha512-` and base64; the bill wants the name of the algorithm and hexadecimal digits. */
function hashOf(integrity) {
  const [, bits, value] = /^sha(\d+)-(.+)$/.exec(integrity);
  return { alg: bits === '1' ? 'SHA-1' : `SHA-${bits}`, content: Buffer.from(value, 'base64').toString('hex') };
}

function nameAt(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** Two copies of one version lie in two places, and are two parts of the bill. */
function refOf(path) {
  return `${purlOf(nameAt(path), packages[path].version)}#${path}`;
}

function purlOf(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** What is not installed is left out. */
function refsOf(path, dependencies = {}) {
  const places = Object.keys(dependencies).map((name) =>
    foldersAbove(path)
      .map((folder) => `${folder}node_modules/${name}`)
      .find((place) => packages[place] !== undefined),
  );
  const installed = places.filter((place) => place !== undefined && packages[place].dev !== true);
  return [...new Set(installed.map(refOf))].sort();
}

/** Where Node looks: in the package's own folder first, then further and further out. */
function foldersAbove(path) {
  const parts = path === '' ? [] : path.split('/node_modules/');
  const folders = parts.map((_, at) => `${parts.slice(0, parts.length - at).join('/node_modules/')}/`);
  return [...folders, ''];
}

function uuidOf(content) {
  const hex = createHash('sha256').update(content).digest('hex');
  const variant = '89ab'[Number.parseInt(hex[16], 16) % 4];
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
