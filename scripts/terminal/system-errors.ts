/** Describes errors of the operating system, and of SQLite for reasons outside of the service, in plain English, and handles those of writing the output of a command. */

/**
 * Returns what failed and what to do about it; `undefined` if the error is neither the operating system's nor has its cause there. `file`: the path
 * to name for errors without a path.
 */
export function describeSystemError(error: unknown, file?: string): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.name === 'SqliteError') return describeSqliteError(error)
  if (!('syscall' in error)) return undefined
  const { code = '', path, dest, address, port, hostname } = error as SystemError
  const place = dest ?? path ?? file
  const known = place === undefined ? undefined : fileMessages.get(code)
  if (known !== undefined) return known.replace('{}', place!)
  if (code === 'EISDIR') return 'The path is a folder, not a file'
  if (code === 'ENOSPC') return 'The disk is full'
  if (code === 'EADDRINUSE')
    return `${address}:${port} is already in use. Stop the other program, or choose another --port`
  if (code === 'EACCES' && port !== undefined)
    return `Permission denied to listen on ${address}:${port}. Choose a --port of 1024 or higher`
  if (code === 'EADDRNOTAVAIL') return `${address} is not an address of this machine. Choose another --host`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `Host not found: ${hostname}`
  return error.message
}

/** Codes of errors of SQLite that the disk, damage, other programs or permissions cause. */
const outerCausePattern =
  /^SQLITE_(?:AUTH|BUSY|CANTOPEN|CORRUPT|IOERR|LOCKED|NOLFS|NOMEM|NOTADB|PERM|PROTOCOL|READONLY)/

function describeSqliteError({ code = '', message }: SystemError): string | undefined {
  return outerCausePattern.test(code) ? `SQLite: ${message} (${code})` : undefined
}

interface SystemError extends Error {
  readonly code?: string
  readonly path?: string
  readonly dest?: string
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
}

/** Messages for files and folders, by error code. */
const fileMessages: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'File or folder not found: {}'],
  ['ENOTDIR', 'Invalid path: {}. A part of it is a file, not a folder'],
  ['EISDIR', '{} is a folder, not a file'],
  ['EACCES', 'Permission denied: {}. Run the command as the user of the service'],
  ['EPERM', 'Permission denied: {}. Run the command as the user of the service'],
  ['EROFS', "Can't write {}, because its file system is read-only"],
  ['EEXIST', '{} already exists'],
  ['ENAMETOOLONG', 'The name {} is too long'],
  ['ELOOP', '{} is a broken symbolic link']
])

/**
 * Makes commands continue after errors of standard output and standard error: a backup completes even if its output
 * goes to `head`. The exit code is then 1. A closed pipe is not reported; other output errors are reported once.
 */
export function handleOutputErrors(): void {
  let isReported = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exitCode = 1
    if (isReported || error.code === 'EPIPE') return
    isReported = true
    console.error(`Can't write the output: ${describeSystemError(error) ?? error.message}`)
  })
  process.stderr.on('error', () => {
    process.exitCode = 1
  })
}
