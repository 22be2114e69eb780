/**
 * The static files that browsers load from the service: pages, buttons, styles, the icon.
 * (docs/spec/service-information.md#assets)
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { PageContext } from '../exchange.js'

export interface StaticFile {
  readonly type: string
  readonly bytes: Buffer
  /** The compressed file, if the build has created it next to the original. */
  readonly gzip?: Buffer
}

const types: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.html', 'text/html; charset=utf-8'],
  ['.ico', 'image/x-icon'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
  ['.webmanifest', 'application/manifest+json']
])

/** Files that have been read, by folder. */
const foldersRead = new Map<string, ReadonlyMap<string, StaticFile>>()

/**
 * Returns all files below a folder, by relative path. The files are few and small, so a process reads them
 * once, at start. Files of unknown types are omitted; a missing folder has no files.
 */
export function readFiles(directory: string): ReadonlyMap<string, StaticFile> {
  const known = foldersRead.get(directory)
  if (known) return known
  const files = readFolder(directory)
  foldersRead.set(directory, files)
  return files
}

/** Sends a static file. */
export function replyFile(ctx: PageContext, { type, bytes }: StaticFile): void {
  ctx.type = type
  ctx.body = bytes
}

/** Reads the static files below a directory, by path. Empty if there is no such directory. */
function readFolder(directory: string): ReadonlyMap<string, StaticFile> {
  const files = new Map<string, StaticFile>()
  if (!existsSync(directory)) return files
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    const type = types.get(extname(entry.name))
    if (!entry.isFile() || type === undefined) continue
    const path = join(entry.parentPath, entry.name)
    files.set(path.slice(directory.length + 1).replaceAll('\\', '/'), {
      type,
      bytes: readFileSync(path),
      ...(existsSync(`${path}.gz`) ? { gzip: readFileSync(`${path}.gz`) } : {})
    })
  }
  return files
}
