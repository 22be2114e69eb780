/** In-memory objects in place of an object store: they fail on demand. */
import { readFile, writeFile } from 'node:fs/promises'
import { EngineUnavailable } from '../../cluster/engine.js'
import type { Objects } from '../../cluster/objects.js'

export class MemoryObjects implements Objects {
  readonly #objects = new Map<string, Buffer>()

  /** `fails`: returns whether the next request fails. */
  constructor(private readonly fails: () => boolean = () => false) {}

  async put(key: string, path: string): Promise<void> {
    const bytes = await readFile(path)
    this.#ask()
    this.#objects.set(key, bytes)
  }

  async get(key: string, path: string): Promise<boolean> {
    this.#ask()
    const bytes = this.#objects.get(key)
    if (!bytes) return false
    await writeFile(path, bytes, { flag: 'wx', flush: true })
    return true
  }

  async remove(key: string): Promise<void> {
    await Promise.resolve()
    this.#ask()
    this.#objects.delete(key)
  }

  async list(prefix: string): Promise<string[]> {
    await Promise.resolve()
    this.#ask()
    return this.keys.filter(key => key.startsWith(prefix))
  }

  /** The keys of all objects, sorted. */
  get keys(): string[] {
    return Array.from(this.#objects.keys()).toSorted()
  }

  #ask(): void {
    if (this.fails()) throw new EngineUnavailable('objects')
  }
}
