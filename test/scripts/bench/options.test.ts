import t from 'tap'
import { parseOptions } from '../../../scripts/bench/options.js'

t.test('options have defaults', async t => {
  t.match(parseOptions([]), { rounds: 3, seconds: 0.6, only: '', quick: false, json: undefined })
})

t.test('options are read from the command line', async t => {
  const args = ['--rounds', '5', '--secs', '0.2', '--only', 'Growth', '--quick', '--json', 'x.json']
  t.match(parseOptions(args), { rounds: 5, seconds: 0.2, only: 'growth', quick: true, json: 'x.json' })
})

t.test('invalid options are refused', async t => {
  for (const args of [['--rounds', '0'], ['--secs', 'long'], ['--unknown']])
    t.throws(() => parseOptions(args))
})
