/** The test runner: files that fail, crash, hang or contain no tests never count as passed, and none runs twice. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { runInProcess, type ProcessResult } from '../../../scripts/dev/test-process.js'
import { rotate } from '../../support/rotation.js'

t.setTimeout(900_000)

const library = JSON.stringify(import.meta.resolve('tap'))

/** Runs files with these contents in one process; each records that it has run. */
async function run(
  t: Test,
  contents: Readonly<Record<string, string>>,
  tracesErrors = true
): Promise<ProcessResult & { runs: string }> {
  const runs = join(t.testdirName, 'runs')
  const head = (name: string): string =>
    `import t from ${library}; import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(runs)}, '${name} ');`
  const texts = Object.entries(contents).map(([name, text]) => [`${name}.test.mjs`, head(name) + text])
  const folder = t.testdir({ ...Object.fromEntries(texts), data: {}, runs: '' })
  const files = texts.map(([name]) => join(folder, name!))
  const result = await runInProcess(files, join(folder, 'data'), {}, { graceMs: 1000, tracesErrors })
  return { ...result, runs: readFileSync(runs, 'utf8').trim() }
}

const good = `t.test('holds', async t => { t.ok(true); t.ok(true) })`

t.test('test files', async t => {
  t.test('pass by themselves and together, and are counted', async t => {
    const alone = await run(t, { a: good })
    t.match(alone, { files: [{ isPassed: true, failures: [] }], passed: 2, failed: 0 })
    const together = await run(t, { a: good, b: `await ${good}; ${good}`, c: good })
    t.match(together, { files: [1, 2, 3].map(() => ({ isPassed: true })), passed: 8, failed: 0 })
    t.equal(together.runs, 'a b c')
  })

  t.test('run their teardowns before the next file, even if that is slow to load', async t => {
    const ending = `t.teardown(() => appendFileSync(${JSON.stringify(join(t.testdirName, 'runs'))}, 'ended ')); ${good}`
    const slow = `await new Promise(resolve => setTimeout(resolve, 50)); ${good}`
    const together = await run(t, { a: ending, b: slow })
    t.match(together, { files: [1, 2].map(() => ({ isPassed: true })), passed: 4, failed: 0 })
    t.equal(together.runs, 'a ended b')
  })

  t.test('report source lines only on request', async t => {
    const name = join(t.testdir({ data: {} }), 'a.test.mjs')
    const map = { version: 3, sources: ['told.ts'], names: [], mappings: 'AAAA;AACA' }
    const url = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`
    writeFileSync(name, `import t from ${library}\nt.equal(1, 2)\n//# sourceMappingURL=${url}`)
    for (const tracesErrors of [true, false]) {
      const { files } = await runInProcess([name], join(t.testdirName, 'data'), {}, { tracesErrors })
      t.equal(/told\.ts/.test(files[0]!.failures.join('\n')), tracesErrors)
    }
  })

  t.test('fail with an uncaught error, and name the running test', async t => {
    const bad = `t.test('breaks', async t => {
      await new Promise(resolve => setTimeout(() => { setImmediate(resolve); throw new Error('beside') }, 1))
    })`
    const rejected = bad.replace('throw new Error', 'Promise.reject')
    const runs = [
      [true, bad],
      [false, bad],
      [true, rejected],
      [false, rejected]
    ] as const
    for (const [tracesErrors, text] of rotate(t, runs)) {
      const { errors, files } = await run(t, { a: good, b: text }, tracesErrors)
      t.same([files[0]!.isPassed, files[1]!.isPassed], [true, false])
      const failures = files[1]!.failures.join('\n')
      t.match(tracesErrors ? failures : errors.join('\n'), 'beside')
      t.match(failures, /not ok \d+ - breaks/)
    }
  })

  t.test('fail by name, with their message and seed, and once', async t => {
    const bad = `t.test('breaks', async t => { t.comment('COFFER_TEST_SEED=7'); t.equal(1, 2, 'one is two') })`
    const other = `t.comment('COFFER_TEST_SEED=6'); ${good}`
    const { failed, files, runs } = await run(t, { a: other, b: bad, c: other })
    t.equal(failed, 1)
    t.same(
      files.map(({ isPassed }) => isPassed),
      [true, false, true]
    )
    const failures = files.map(each => each.failures.join('\n'))
    t.match(failures[1], 'one is two')
    t.same(
      failures.map(each => /# COFFER_TEST_SEED=\d/.exec(each)?.[0]),
      [undefined, '# COFFER_TEST_SEED=7', undefined]
    )
    t.equal(runs, 'a b c')
    const alone = await run(t, { a: bad })
    t.match(alone, { failed: 1, files: [{ isPassed: false }], runs: 'a' })
  })

  // In the short form, a file by itself is traced or not, in rotation.
  const isLong = process.env['COFFER_TEST_LONG'] === '1'
  const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
  t.comment(`COFFER_TEST_SEED=${seed}`)
  const ends = [
    ['ends its process well, in the middle', `t.test('ends', async t => { t.ok(true); process.exit(0) })`],
    ['is killed', `t.test('ends', async t => { t.ok(true); process.kill(process.pid, 'SIGKILL') })`],
    ['throws beside its tests', `${good}; setTimeout(() => { throw new Error('beside') }, 1)`],
    ['cannot be loaded', `import './nothing.js'`],
    ['throws while it is loaded', `${good}; throw new Error('at once')`],
    ['waits for what never comes', `t.test('waits', async t => { t.ok(true); await new Promise(() => {}) })`],
    [
      'stands still',
      `t.setTimeout(100); t.test('turns', async t => {
        t.ok(true)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
      })`
    ]
  ] as const
  for (const [place, [what, text]] of rotate(t, [...ends.entries()], 3))
    t.test(`a file that ${what} fails, by itself and together`, async t => {
      for (const tracesErrors of isLong ? [true, false] : [(place + seed) % 4 < 2]) {
        const alone = await run(t, { a: text }, tracesErrors)
        t.match(alone, { files: [{ isPassed: false }] })
        t.ok(alone.failed > 0)
      }
      const together = await run(t, { a: good, b: text, c: good })
      t.ok(together.failed > 0)
      t.equal(together.files.length, 3)
      t.ok(together.files.some(({ failures, isPassed }) => !isPassed && failures.length > 0))
      t.notOk(together.runs.includes('b b') || together.runs.includes('a b c a'))
    })

  t.test('without a test fail', async t => {
    t.match(await run(t, { a: '' }), { failed: 1, files: [{ isPassed: false }] })
  })
})
