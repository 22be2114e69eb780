/** Says in words what the operating system refuses, instead of its codes. */

/**
 * What went wrong, and what to do about it; `undefined` if the error does not come from the operating system. `file`: what was
 * worked on, since some errors do not name it.
 */
export function inWords(error: unknown, file?: string): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error)) return undefined
  const { code = '', path, dest, address, port, hostname } = error as SystemError
  const place = dest ?? path ?? file
  const known = place === undefined ? undefined : ofFiles.get(code)
  if (known !== undefined) return known.replace('{}', place!)
  if (code === 'EISDIR') return 'What was named is a folder, not a file'
  if (code === 'ENOSPC') return 'The disk is full'
  if (code === 'EADDRINUSE')
    return `Another program listens at ${address}:${port}: stop it, or choose another --port`
  if (code === 'EACCES' && port !== undefined)
    return `This user may not listen at ${address}:${port}: choose a --port from 1024 on`
  if (code === 'EADDRNOTAVAIL') return `${address} is no address of this machine: choose another --host`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `There is no host ${hostname}: is its name right?`
  return error.message
}

interface SystemError extends Error {
  readonly code?: string
  readonly path?: string
  readonly dest?: string
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
}

/** What is wrong with a file or folder, by code. */
const ofFiles: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'There is no file or folder {}'],
  ['ENOTDIR', '{} cannot be there: a part of the path is a file, not a folder'],
  ['EISDIR', '{} is a folder, not a file'],
  ['EACCES', 'This user may not read or write {}: run the command as the user of the service'],
  ['EPERM', 'This user may not read or write {}: run the command as the user of the service'],
  ['EROFS', '{} cannot be written: its file system is read-only'],
  ['EEXIST', '{} already exists'],
  ['ENAMETOOLONG', 'The name {} is too long'],
  ['ELOOP', '{} is a symbolic link that leads nowhere']
])
