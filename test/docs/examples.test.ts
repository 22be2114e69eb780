/** The examples of `docs/api` do what the pages say, each page against a service of its own, after the tour of README. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageDirectory } from '../../core/version.js'
import { examplesOf, fits, runExamples, settingsOf } from '../support/snippets.js'

/** Pages that have nothing to run. */
const withoutExamples = ['README.md', 'clients.md']

const pages = readdirSync(join(packageDirectory, 'docs', 'api')).filter(name => name.endsWith('.md'))
const tour = examplesOf('README.md').filter(({ language }) => language === 'sh')

t.test('docs/api', async t => {
  for (const name of pages)
    t.test(name, async t => {
      const path = join('docs', 'api', name)
      const examples = examplesOf(path)
      t.equal(examples.length === 0, withoutExamples.includes(name), 'has examples')
      if (examples.length === 0) return
      const ran = await runExamples(t, [...tour, ...examples], settingsOf(path))
      for (const { announced, answers, sample, source, statuses } of ran.slice(tour.length)) {
        t.same(statuses, announced, source)
        if (sample !== undefined)
          t.ok(fits(answers.at(-1), sample), source, { answer: answers.at(-1), sample })
      }
    })
})
