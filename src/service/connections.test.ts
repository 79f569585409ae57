import { describe, expect, it } from 'vitest';
import { createConnections } from './connections.ts';

describe('connections', () => {
  it('end what is bound to them once, and nothing of the others', () => {
    const connections = createConnections();
    const ended: string[] = [];
    connections.open('a');
    connections.open('b');
    connections.onEnd('a', () => ended.push('one'));
    connections.onEnd('a', () => ended.push('two'));
    connections.onEnd('b', () => ended.push('other'));
    connections.end('a');
    connections.end('a');
    expect(ended).toEqual(['one', 'two']);
  });

  it('end at once what is bound to one that is over, or never was', () => {
    const connections = createConnections();
    const ended: string[] = [];
    connections.open('a');
    connections.end('a');
    connections.onEnd('a', () => ended.push('late'));
    connections.onEnd('made up', () => ended.push('never'));
    expect(ended).toEqual(['late', 'never']);
  });

  it('let go of what has ended by itself, and stay open when they are opened again', () => {
    const connections = createConnections();
    const ended: string[] = [];
    connections.open('a');
    const release = connections.onEnd('a', () => ended.push('released'));
    connections.onEnd('a', () => ended.push('kept'));
    connections.open('a');
    release();
    connections.end('a');
    expect(ended).toEqual(['kept']);
  });
});
