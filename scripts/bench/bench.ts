/** What the tables of a run share: options, meter, bare servers, and starting a server on seeded data. */
import { join } from 'node:path'
import type { BarePorts } from './bare/main.js'
import { Child } from './load/child.js'
import { Meter } from './load/meter.js'
import { ServiceProcess } from './load/service-process.js'
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

  /** Starts the bare server, with its data in `directory`. */
  static async start(directory: string, options: Options): Promise<Bench> {
    const args = [directory, String(userCount)]
    const bare = new Child<never, BarePorts>(new URL('bare/main.js', import.meta.url), args)
    return new Bench(directory, options, bare, await bare.nextMessage())
  }

  /** Returns the port and process of a bare server. */
  getBareServer(name: keyof BarePorts): { readonly pid: number; readonly port: number } {
    return { pid: this.bare.pid, port: this.ports[name] }
  }

  /** Fills a folder of this name with `make`, runs a server on it until `work` resolves, and returns the result of `work`. */
  async withServer<Made, Result>(
    name: string,
    make: (dataDir: string) => Promise<Made>,
    work: (target: ServiceProcess, made: Made) => Promise<Result>,
    settings: Readonly<Record<string, string>> = {}
  ): Promise<Result> {
    const dataDir = join(this.directory, name)
    const made = await make(dataDir)
    const target = await ServiceProcess.start(dataDir, this.options.nodeOptions, settings)
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
