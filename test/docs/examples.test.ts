/**
 * Runs the examples of `docs/api`, each page against a service of its own that continues after the README tour; validates sample
 * settings.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { toConfig } from '../../core/settings/config.js'
import { loadSettings } from '../../core/settings/load.js'
import { packageDirectory, version } from '../../core/version.js'
import { examplesOf, fits, runBeginning, runExamples, settingsOf } from '../support/snippets.js'

t.setTimeout(900_000)

/** Pages without examples. */
const withoutExamples = ['README.md', 'clients.md', 'measures.md']

const pages = readdirSync(join(packageDirectory, 'docs', 'api')).filter(name => name.endsWith('.md'))
const tour = examplesOf('README.md').filter(({ language }) => language === 'sh')

t.test('docs/api', async t => {
  const beginning = await runBeginning(t, tour)
  for (const name of pages)
    t.test(name, async t => {
      const path = join('docs', 'api', name)
      const examples = examplesOf(path)
      t.equal(examples.length === 0, withoutExamples.includes(name), 'has examples')
      if (examples.length === 0) return
      const ran = await runExamples(t, examples, settingsOf(path), beginning)
      for (const { announced, answers, sample, source, statuses } of ran) {
        t.same(statuses, announced, source)
        if (sample !== undefined)
          t.ok(fits(answers.at(-1), sample), source, { answer: answers.at(-1), sample })
      }
    })
})

t.test('sample settings', async t => {
  const docs = join(packageDirectory, 'docs')
  const cwd = t.testdir()
  for (const page of readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.md')
  )) {
    const samples = readFileSync(join(docs, page), 'utf8').matchAll(/^```yaml(?: run)?\n([\s\S]*?)^```$/gm)
    for (const [, sample = ''] of samples) {
      writeFileSync(join(cwd, 'coffer.yaml'), sample)
      t.doesNotThrow(() => toConfig(loadSettings({ argv: [], env: {}, cwd }), version), page)
    }
  }
})
