/** Faults of a machine, and how it recovers from them. */
import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Machines } from './machines.js'

export interface Fault {
  readonly what: string
  /** Whether processes die. */
  readonly isDeadly: boolean
  begin(machines: Machines, index: number): Promise<void>
  end(machines: Machines, index: number): Promise<void>
}

/** Range of the duration of a freeze, in seconds. */
const [shortest, longest] = [2, 30]

export const faults: readonly Fault[] = [
  {
    what: 'node is killed',
    isDeadly: true,
    begin: ({ nodes }, index) => nodes[index]!.kill(),
    end: (machines, index) => machines.startNode(machines.nodes[index]!)
  },
  {
    what: 'server is killed',
    isDeadly: true,
    begin: ({ servers }, index) => servers.kill(index),
    end: ({ servers }, index) => servers.restart(index)
  },
  {
    what: 'machine is killed',
    isDeadly: true,
    begin: (machines, index) => machines.kill(index),
    end: (machines, index) => machines.restart(index)
  },
  {
    what: 'machine is killed, and its disks are lost',
    isDeadly: true,
    async begin(machines, index) {
      await machines.kill(index)
      machines.servers.wipe(index)
      rmSync(machines.nodes[index]!.options.directory, { recursive: true })
    },
    end: (machines, index) => machines.restart(index)
  },
  {
    what: 'node hangs',
    isDeadly: false,
    async begin(machines, index) {
      machines.nodes[index]!.freeze()
      await hang(machines)
    },
    async end({ nodes }, index) {
      nodes[index]!.thaw()
    }
  },
  {
    what: 'server hangs',
    isDeadly: false,
    async begin(machines, index) {
      machines.servers.freeze(index)
      await hang(machines)
    },
    async end({ servers }, index) {
      servers.thaw(index)
    }
  },
  {
    what: 'machine hangs',
    isDeadly: false,
    async begin(machines, index) {
      machines.nodes[index]!.freeze()
      machines.servers.freeze(index)
      await hang(machines)
    },
    async end({ nodes, servers }, index) {
      servers.thaw(index)
      nodes[index]!.thaw()
    }
  }
]

async function hang({ random }: Machines): Promise<void> {
  await wait(1000 * (shortest + random.below(longest - shortest + 1)))
}
