/**
 * Machines in separate network namespaces, which can be cut off from each other as by a failing switch: packets are
 * dropped silently. The test is on the side of the machines that are not cut off; for clients on a machine's side it
 * has a separate link to each machine, on which nothing else listens.
 */
import { spawnSync } from 'node:child_process'
import type { Test } from 'tap'
import type { MachinePlace } from './machines.js'

/** Number of networks created so far: removed ones disappear with a delay. */
let made = 0

/** Returns why such machines are unavailable here; `undefined` if they are available. */
export function whyNoNetwork(): string | undefined {
  const network = new Network(1)
  try {
    network.make()
    return undefined
  } catch (error) {
    return `Network namespaces cannot be made here: ${(error as Error).message}`
  } finally {
    network.remove()
  }
}

export class Network {
  readonly #bridge: string
  readonly #names: readonly string[]
  readonly #part = freePart()

  constructor(count: number) {
    const prefix = `cof${process.pid}${String.fromCharCode('a'.charCodeAt(0) + (made++ % 26))}`
    this.#bridge = `${prefix}b`
    this.#names = Array.from({ length: count }, (_, index) => `${prefix}${index}`)
  }

  /** Creates machines; the test's teardown removes them. */
  static make(t: Test, count: number): Network {
    const network = new Network(count)
    t.teardown(() => network.remove())
    network.make()
    return network
  }

  get places(): MachinePlace[] {
    return this.#names.map((name, index) => ({
      host: this.#host(index),
      clientHost: this.#clientHost(index, 2),
      command: ['ip', 'netns', 'exec', name]
    }))
  }

  /** Creates the bridge and a network namespace for each machine. Needs root. */
  make(): void {
    ip(`link add ${this.#bridge} type bridge`)
    ip(`addr add ${this.#host(253)}/24 dev ${this.#bridge}`)
    ip(`link set ${this.#bridge} up`)
    for (const [index, name] of this.#names.entries()) {
      ip(`netns add ${name}`)
      ip(`link add ${name}e type veth peer name eth0 netns ${name}`)
      ip(`link add ${name}c type veth peer name eth1 netns ${name}`)
      ip(`addr add ${this.#clientHost(index, 1)}/30 dev ${name}c`)
      ip(`link set ${name}e master ${this.#bridge} up`)
      ip(`link set ${name}c up`)
      ip(`-n ${name} addr add ${this.#host(index)}/24 dev eth0`)
      ip(`-n ${name} addr add ${this.#clientHost(index, 2)}/30 dev eth1`)
      for (const device of ['lo', 'eth0', 'eth1']) ip(`-n ${name} link set ${device} up`)
    }
  }

  /** Removes everything that was created. */
  remove(): void {
    const names = this.#names.flatMap(name => [`link del ${name}e`, `link del ${name}c`, `netns del ${name}`])
    for (const command of [...names, `link del ${this.#bridge}`]) spawnSync('ip', command.split(' '))
  }

  /** Cuts a machine off from the others. */
  cut(index: number): void {
    ip(`link set ${this.#names[index]}e nomaster`)
  }

  /** Reconnects a machine. */
  heal(index: number): void {
    ip(`link set ${this.#names[index]}e master ${this.#bridge}`)
  }

  /** Returns its address among the others, in the range for network tests. (RFC 2544) */
  #host(index: number): string {
    return `198.18.${this.#part}.${index + 1}`
  }

  /** Returns the address of one end of the link between a machine and its clients. */
  #clientHost(index: number, end: number): string {
    return `198.19.${this.#part}.${4 * index + end}`
  }
}

/** Returns an unused part of the address range: leftovers of a killed run would respond in place of this one. */
function freePart(): number {
  const { error, stdout } = spawnSync('ip', ['-o', '-4', 'addr'], { encoding: 'utf8' })
  for (let part = process.pid % 256, left = 256; left > 0; part = (part + 1) % 256, left--)
    if (error || !stdout.includes(` 198.18.${part}.`)) return part
  throw new Error('No addresses are left')
}

/** Runs an `ip` command. Throws its output if it fails. */
function ip(command: string): void {
  const { error, status, stderr } = spawnSync('ip', command.split(' '), { encoding: 'utf8' })
  if (error) throw error
  if (status !== 0) throw new Error(`ip ${command}: ${stderr.trim()}`)
}
