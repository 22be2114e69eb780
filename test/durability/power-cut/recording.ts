/** What a server did to its disk, as recorded by `recorder.c` in its process. */
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

/** One operation; all are in one order. */
export interface Entry {
  readonly kind: (typeof kinds)[number]
  /** Monotonic time in nanoseconds, as of `process.hrtime`. */
  readonly at: number
  readonly inode: number
  /** Offset of a write; the new size; of a sync, the process. */
  readonly offset: number
  /** Whether opening truncated the file; number of a sync; port of the recipient. */
  readonly detail: number
  readonly path: string
  /** The written bytes; the new name. */
  readonly data: Buffer
}

const headerSize = 40

/** Compiles the recorder. Returns why it cannot, or `undefined`. */
export function compileRecorder(library: string): string | undefined {
  if (process.platform !== 'linux') return 'files can only be watched on Linux'
  const source = join(packageDirectory, 'test', 'durability', 'power-cut', 'recorder.c')
  const args = ['-O1', '-shared', '-fPIC', '-o', library, source, '-ldl', '-lpthread']
  const { error, status, stderr } = spawnSync('cc', args, { encoding: 'utf8' })
  if (error) return 'there is no C compiler'
  return status === 0 ? undefined : `the recorder cannot be compiled here: ${stderr}`
}

/** Returns the environment that records a server's operations below a folder, delaying each sync up to `slowness`. */
export function recorded(library: string, root: string, file: string): NodeJS.ProcessEnv {
  return {
    LD_PRELOAD: library,
    RECORD_ROOT: root,
    RECORD_LOG: file,
    RECORD_SYNC_DELAY_US: '4000',
    // Operations that bypass the C library would not be recorded.
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
