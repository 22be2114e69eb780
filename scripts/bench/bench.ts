/** What the tables of a run share: the options, the meter, the bare servers, and how to start a server on seeded data. */
import { join } from 'node:path'
import type { BarePorts } from './bare/main.js'
import { Child } from './load/child.js'
import { Meter } from './load/meter.js'
import { Target } from './load/target.js'
import type { Options } from './options.js'
import { userCount } from './rows.js'

export class Bench {
  readonly meter = new Meter()

  private constructor(
    readonly directory: string,
    readonly options: Options,
    private readonly bare: Child<never, BarePorts>,
    private readonly ports: BarePorts
  ) {}

  static async start(directory: string, options: Options): Promise<Bench> {
    const args = [directory, String(userCount)]
    const bare = new Child<never, BarePorts>(new URL('bare/main.js', import.meta.url), args)
    return new Bench(directory, options, bare, await bare.next())
  }

  /** Where a bare server listens, and its process. */
  bareServer(name: keyof BarePorts): { readonly pid: number; readonly port: number } {
    return { pid: this.bare.pid, port: this.ports[name] }
  }

  /** Has `make` fill a folder of this name, runs a server on it until `work` is done, and returns the result. */
  async onServer<Made, Result>(
    name: string,
    make: (dataDir: string) => Promise<Made>,
    work: (target: Target, made: Made) => Promise<Result>,
    settings: Readonly<Record<string, string>> = {}
  ): Promise<Result> {
    const dataDir = join(this.directory, name)
    const made = await make(dataDir)
    const target = await Target.start(dataDir, this.options.nodeOptions, settings)
    try {
      return await work(target, made)
    } finally {
      await target.stop()
    }
  }

  async stop(): Promise<void> {
    await this.meter.stop()
    await this.bare.stop()
  }
}
