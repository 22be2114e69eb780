/** The figures as tables for people and as JSON for machines. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { dirname, join } from 'node:path'
import type { Comparison } from './compare.js'
import type { Measure } from './footprint.js'
import { growthGoal, type Growth } from './growth.js'
import type { Figures } from './meter.js'
import { neighbourGoals, type Noticed } from './neighbours/bench-neighbours.js'
import type { Options } from './options.js'
import type { Goals } from './rows.js'
import { printTable } from './table.js'

/** All that was measured. */
export interface Results {
  readonly comparisons: readonly Comparison[]
  /** References by name, those that no row names included. */
  readonly references: Readonly<Record<string, Figures>>
  /** A table for each kind of account. */
  readonly growth: readonly (readonly Growth[])[]
  readonly footprint: readonly Measure[]
  /** Attachments in and out. */
  readonly files: readonly Measure[]
  /** Sockets and webhooks. */
  readonly live: readonly Measure[]
  /** Many of them. */
  readonly accounts: readonly Measure[]
  /** What others notice of one user's heavy work. */
  readonly neighbours: readonly Noticed[]
}

export function printResults({
  comparisons,
  references,
  growth,
  footprint,
  files,
  live,
  accounts,
  neighbours
}: Results): void {
  printTable(
    [
      'row',
      'CPU µs',
      'reference',
      'req/s',
      'reference',
      'p50 ms',
      'p99 ms',
      'CPU ratio',
      'req/s ratio',
      'goal',
      'met'
    ],
    comparisons.map(({ row, ours, reference, cpuRatio, perSecondRatio, isMet }) => [
      row.name,
      ours.cpuUs,
      reference.cpuUs,
      ours.perSecond,
      reference.perSecond,
      ours.p50Ms,
      ours.p99Ms,
      cpuRatio,
      perSecondRatio,
      goalText(row.goals),
      met(isMet)
    ])
  )
  printTable(
    ['reference', 'CPU µs', 'req/s', 'p50 ms', 'p99 ms'],
    Object.entries(references).map(([name, { cpuUs, perSecond, p50Ms, p99Ms }]) => [
      name,
      cpuUs,
      perSecond,
      p50Ms,
      p99Ms
    ])
  )
  for (const table of growth) printGrowth(table)
  printMeasures('footprint', footprint)
  printMeasures('files', files)
  printMeasures('live', live)
  printMeasures('accounts', accounts)
  printNeighbours(neighbours)
}

function printGrowth(growth: readonly Growth[]): void {
  const sizes = Object.keys(growth[0]?.cpuUs ?? {}).map(Number)
  printTable(
    ['growth, CPU µs', ...sizes.map(size => size.toLocaleString('en')), 'ratio', 'goal', 'met'],
    growth.map(({ name, cpuUs, ratio, isMet }) => [
      name,
      ...sizes.map(size => cpuUs[size]),
      ratio,
      `≤ ${growthGoal}`,
      met(isMet)
    ])
  )
}

function printMeasures(heading: string, measures: readonly Measure[]): void {
  printTable(
    [heading, 'value', 'goal', 'met'],
    measures.map(({ name, value, goal, isMet }) => [
      name,
      value,
      goal === undefined ? '' : `≤ ${Number(goal.toPrecision(3))}`,
      met(isMet)
    ])
  )
}

function printNeighbours(noticed: readonly Noticed[]): void {
  printTable(
    [
      'neighbours, while another does',
      's',
      'answers',
      'p50 ms',
      'p99 ms',
      'max ms',
      'longest turn, CPU ms',
      'goals',
      'met'
    ],
    noticed.map(({ name, heavySeconds, count, p50Ms, p99Ms, maxMs, turnMs, isMet }) => [
      name,
      heavySeconds,
      count,
      p50Ms,
      p99Ms,
      maxMs,
      turnMs,
      `p99 ≤ ${neighbourGoals.p99Ms}, turn ≤ ${neighbourGoals.turnMs}`,
      met(isMet)
    ])
  )
}

/** What was answered with an error: such a row measures nothing. */
export function complaints({ comparisons, references }: Results): string[] {
  const all = [
    ...comparisons.map(({ row, ours }) => [row.name, ours] as const),
    ...Object.entries(references)
  ]
  return all
    .filter(([, { bad }]) => bad > 0)
    .map(([name, { bad, complaint }]) => `${name}: ${bad} bad answers, first ${complaint}`)
}

/** Writes the figures, with what is needed to judge them, to a file. Answers its name. */
export function writeResults(results: Results, options: Options): string {
  const when = new Date().toISOString()
  const file = options.json ?? join('bench-results', `${when.replaceAll(/[:.]/g, '-')}.json`)
  const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model, load: loadavg() }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify({ when, machine, options, ...results }, null, 2)}\n`)
  return file
}

function goalText({ cpu, perSecond, cpuUs }: Goals): string {
  const parts = []
  if (cpu !== undefined) parts.push(`CPU ≥ ${cpu}`)
  if (perSecond !== undefined) parts.push(`req/s ≥ ${perSecond}`)
  if (cpuUs !== undefined) parts.push(`≤ ${cpuUs.toLocaleString('en')} µs`)
  return parts.join(', ')
}

function met(isMet: boolean): string {
  return isMet ? 'yes' : 'NO'
}
