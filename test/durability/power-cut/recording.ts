/** What a server did to its disk, as `recorder.c` saw it from within. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageDirectory } from '../../../core/version.js'

const kinds = [
  'none',
  'opened',
  'written',
  'sized',
  'sync-begun',
  'sync-ended',
  'renamed',
  'removed',
  'made',
  'removed',
  'linked',
  'sent',
  'foreign'
] as const

/** One thing that happened; all are in one order. */
export interface Entry {
  readonly kind: (typeof kinds)[number]
  /** Monotonic time in nanoseconds, as of `process.hrtime`. */
  readonly at: number
  readonly inode: number
  /** Where it was written; the new size; of a sync, the process. */
  readonly offset: number
  /** Whether a file was emptied when it was opened; number of a sync; port of who was sent something. */
  readonly detail: number
  readonly path: string
  /** What was written; the new name. */
  readonly data: Buffer
}

const headerSize = 40

/** Makes the recorder. Answers why there can be none here, or nothing. */
export function compileRecorder(library: string): string | undefined {
  if (process.platform !== 'linux') return 'files can only be watched on Linux'
  const source = join(packageDirectory, 'test', 'durability', 'power-cut', 'recorder.c')
  const args = ['-O1', '-shared', '-fPIC', '-o', library, source, '-ldl', '-lpthread']
  const { error, status, stderr } = spawnSync('cc', args, { encoding: 'utf8' })
  if (error) return 'there is no C compiler'
  return status === 0 ? undefined : `the recorder cannot be compiled here: ${stderr}`
}

/** Environment of a server whose work below a folder is recorded in a file, each sync taking up to `slowness`. */
export function recorded(library: string, root: string, file: string): NodeJS.ProcessEnv {
  return {
    LD_PRELOAD: library,
    RECORD_ROOT: root,
    RECORD_LOG: file,
    RECORD_SYNC_DELAY_US: '4000',
    // What bypasses the C library would not be seen.
    UV_USE_IO_URING: '0'
  }
}

export function readRecording(file: string): Entry[] {
  const bytes = readFileSync(file)
  const entries: Entry[] = []
  for (let at = 0; at < bytes.length;) {
    const number = (offset: number): number => Number(bytes.readBigUInt64LE(at + offset))
    const [kind, detail, pathLength, dataLength] = [24, 28, 32, 36].map(offset =>
      bytes.readUInt32LE(at + offset)
    ) as [number, number, number, number]
    const text = at + headerSize
    entries.push({
      kind: kinds[kind]!,
      at: number(0),
      inode: number(8),
      offset: number(16),
      detail,
      path: bytes.toString('utf8', text, text + pathLength),
      data: bytes.subarray(text + pathLength, text + pathLength + dataLength)
    })
    at = text + pathLength + dataLength
  }
  return entries
}
