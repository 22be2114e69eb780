/** Forges a plain backup as an attacker who knows the format does: the digests match whatever is changed. */
import { createHash } from 'node:crypto'
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import SQLite, { type Database } from 'better-sqlite3'
import type { Answer } from './coffer.js'

interface Stored {
  name: string
  size: number
  digest: string
}

export class ForgedBackup {
  manifest: Answer

  constructor(
    readonly root: string,
    original?: string
  ) {
    if (original !== undefined) {
      rmSync(root, { recursive: true, force: true })
      cpSync(original, root, { recursive: true })
    }
    this.manifest = JSON.parse(readFileSync(join(root, 'manifest'), 'utf8'))
  }

  /** Returns an account of the manifest. */
  user(username: string): Answer {
    return this.manifest.users.find((user: Answer) => user.username === username)
  }

  /** Returns the list of an account's files. */
  record(username: string): Answer {
    return JSON.parse(readFileSync(this.path(this.user(username).record), 'utf8'))
  }

  path({ name }: Stored): string {
    return join(this.root, ...name.split('/'))
  }

  /** Changes the manifest. */
  changeManifest(change: (manifest: Answer) => void): void {
    change(this.manifest)
    this.save()
  }

  /** Changes the list of an account's files. */
  changeRecord(username: string, change: (record: Answer) => void): void {
    const record = this.record(username)
    change(record)
    const { record: stored } = this.user(username)
    this.write(stored, Buffer.from(JSON.stringify(record)))
    this.save()
  }

  /** Changes the file of an account, and updates the list of its files. */
  changeFile(username: string, change: (bytes: Buffer) => Buffer): void {
    this.changeRecord(username, ({ file }) => this.write(file, change(readFileSync(this.path(file)))))
  }

  /** Like {@link changeFile}, by SQL, and despite what SQLite would protect. */
  changeRows(username: string, change: (db: Database) => void): void {
    this.changeFile(username, bytes => edited(bytes, join(this.root, 'edited.sqlite'), change))
  }

  /** Changes the platform file. */
  changePlatform(change: (db: Database) => void): void {
    const { platform } = this.manifest
    const bytes = readFileSync(this.path(platform))
    this.write(platform, edited(bytes, join(this.root, 'edited.sqlite'), change))
    this.save()
  }

  /** Writes a file of the backup, and updates its size and digest. */
  write(stored: Stored, bytes: Buffer): void {
    writeFileSync(this.path(stored), bytes)
    stored.size = bytes.length
    stored.digest = createHash('sha256').update(bytes).digest('hex')
  }

  save(): void {
    writeFileSync(join(this.root, 'manifest'), JSON.stringify(this.manifest))
  }
}

/** Returns the bytes of a database file after a change, without checks of its schema. */
function edited(bytes: Buffer, file: string, change: (db: Database) => void): Buffer {
  writeFileSync(file, bytes)
  const db = new SQLite(file)
  db.pragma('journal_mode = DELETE')
  db.unsafeMode(true)
  db.pragma('writable_schema = ON')
  db.pragma('foreign_keys = OFF')
  change(db)
  db.close()
  const result = readFileSync(file)
  for (const kind of ['', '-journal', '-wal', '-shm']) rmSync(file + kind, { force: true })
  return result
}

/** Lists all names below a folder, with file sizes, to check whether anything was written there. */
export function treeOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(entry => {
      const path = join(entry.parentPath, entry.name)
      return entry.isFile()
        ? `${path} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`
        : path
    })
    .toSorted()
}

/** Changes the body of a row, and drops its integrity value. */
export function rebody(db: Database, table: string, where: string, change: (body: Answer) => void): void {
  const text = db.prepare(`SELECT body FROM ${table} WHERE ${where} LIMIT 1`).pluck().get() as
    | string
    | undefined
  if (text === undefined) throw new Error(`no ${table} with ${where}`)
  const body = JSON.parse(text)
  delete body.integrity
  change(body)
  db.prepare(`UPDATE ${table} SET body = ? WHERE body = ?`).run(JSON.stringify(body), text)
}
