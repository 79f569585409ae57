/**
 * The tables of the graph in index.db. What waits to be read and what is to be forgotten follows the documents by triggers: it
 * is in the same transaction, whoever places a document. They hold as long as rows are deleted and inserted, never replaced.
 */
import { codeExtensions, languageOf } from '../../graph/code/language.ts';

const languages = codeExtensions.map((extension) => `('${extension}', '${languageOf(`x${extension}`)}')`).join(', ');

export const graphTables = `
  CREATE TABLE link (
    source TEXT NOT NULL, relation TEXT NOT NULL, target TEXT NOT NULL, owner TEXT NOT NULL,
    PRIMARY KEY (source, relation, target, owner)) WITHOUT ROWID;
  CREATE INDEX link_target ON link (target, relation);
  CREATE INDEX link_owner ON link (owner);

  CREATE TABLE code_language (extension TEXT PRIMARY KEY, language TEXT NOT NULL) WITHOUT ROWID;
  INSERT INTO code_language VALUES ${languages};
  CREATE TABLE code_outline (
    id INTEGER PRIMARY KEY, number INTEGER NOT NULL, language TEXT NOT NULL, symbols INTEGER NOT NULL, outline BLOB NOT NULL,
    UNIQUE (number, language));
  CREATE TABLE code_unread (place INTEGER PRIMARY KEY);
  CREATE TABLE code_name (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  CREATE TABLE code_definition (name INTEGER NOT NULL, outline INTEGER NOT NULL, PRIMARY KEY (name, outline)) WITHOUT ROWID;
  CREATE INDEX code_definition_outline ON code_definition (outline);
  CREATE TABLE code_use (name INTEGER NOT NULL, outline INTEGER NOT NULL, PRIMARY KEY (name, outline)) WITHOUT ROWID;
  CREATE INDEX code_use_outline ON code_use (outline);
  CREATE TABLE code_import (name INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (name, place)) WITHOUT ROWID;
  CREATE INDEX code_import_place ON code_import (place);
  INSERT INTO counter VALUES ('code', 0), ('code_lease', 0);

  CREATE TRIGGER code_placed AFTER INSERT ON document_place
    WHEN NEW.kind = 'text' AND NEW.extension IN (SELECT extension FROM code_language)
    BEGIN INSERT OR IGNORE INTO code_unread VALUES (NEW.id); END;
  CREATE TRIGGER code_left AFTER DELETE ON document_place BEGIN
    DELETE FROM code_unread WHERE place = OLD.id;
    DELETE FROM code_import WHERE place = OLD.id;
  END;
  CREATE TRIGGER code_dropped AFTER DELETE ON document_text
    BEGIN DELETE FROM code_outline WHERE number = OLD.number; END;
  CREATE TRIGGER code_forgotten AFTER DELETE ON code_outline BEGIN
    DELETE FROM code_definition WHERE outline = OLD.id;
    DELETE FROM code_use WHERE outline = OLD.id;
  END;`;
