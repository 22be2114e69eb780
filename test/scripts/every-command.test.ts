/** Every command with every kind of invalid input: it explains the error, and exits with an error code. */
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { command, commandProcess } from '../support/command.js'

t.setTimeout(900_000)

/** What a command accepts, in addition to settings. */
interface Takes {
  /** Valid operands. */
  readonly operands: readonly string[]
  readonly options?: readonly string[]
  /** Index of the operand that is a file to read, or a user. */
  readonly file?: number
  readonly user?: number
  /** Set if it runs after parsing its arguments, and so is not tested with valid ones. */
  readonly input?: string
}

/** Returns the names of subcommands, as the help lists them. */
async function names(args: readonly string[]): Promise<string[]> {
  const { output } = await commandProcess([...args, '--help'])
  const list = output.slice(output.indexOf('Commands:'))
  return [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = '']) => name)
}

t.test('every command', async t => {
  const directory = t.testdir()
  const at = (name: string): string => `${directory}/${name}`
  for (const name of ['data', 'folder']) mkdirSync(at(name))
  // Cannot be read, but removed.
  mkdirSync(at('closed'))
  writeFileSync(at('file.txt'), 'text')
  writeFileSync(at('closed.txt'), 'text')
  chmodSync(at('closed.txt'), 0)
  chmodSync(at('closed'), 0)
  const data = `--dataDir=${at('data')}`

  const commands: Readonly<Record<string, Takes>> = {
    serve: { operands: [] },
    init: { operands: [], options: [`--file=${at('new.yaml')}`] },
    demo: { operands: ['daisy'], options: ['--days=1'] },
    'check-config': { operands: [] },
    settings: { operands: ['mail'] },
    'setup-link': { operands: [] },
    health: { operands: [] },
    backup: { operands: [at('out')], options: ['--plain'] },
    restore: { operands: [at('folder')], options: ['--plain'] },
    export: { operands: ['nobody', at('out.zip')], user: 0 },
    import: { operands: [at('file.txt')], file: 0 },
    'import-data': { operands: ['nobody', at('file.txt')], user: 0, file: 1 },
    'export-data': { operands: ['nobody'], user: 0 },
    connect: { operands: ['nobody', 'owntracks'], user: 0 },
    'move-attachments': { operands: [], options: ['--to=bucket'] },
    check: { operands: [] },
    'rebuild-index': { operands: [] },
    migrate: { operands: [] },
    'reset-link': { operands: ['nobody'], user: 0 },
    'breach-scope': { operands: [], options: ['--access=cunknown'] },
    invite: { operands: [] },
    'user list': { operands: [] },
    'user create': { operands: ['daisy'], options: ['--email=daisy@example.com'] },
    'user delete': { operands: ['nobody'], options: ['--yes'], user: 0 },
    'user password': { operands: ['nobody'], user: 0 },
    'user unlock': { operands: ['nobody'], user: 0 },
    'user mfa-off': { operands: ['nobody'], user: 0 },
    'user keep': { operands: ['nobody'], user: 0 },
    'user passkeys-off': { operands: ['nobody'], user: 0 },
    'user token': { operands: ['nobody'], user: 0 },
    'user move': { operands: ['nobody', 'https://elsewhere.example/'], user: 0 },
    'oauth list': { operands: [] },
    'oauth revoke': { operands: ['nobody'] },
    'oauth revoke-key': { operands: ['nobody', 'a-key'] },
    'oauth restore-key': { operands: ['nobody', 'a-key'] },
    'cluster init': { operands: [] },
    'cluster status': { operands: [] },
    'cluster move': { operands: ['1', 'n2'] },
    'cluster drain': { operands: ['n2'] },
    'cluster rescue': { operands: ['alice'] }
  }

  /** Returns invalid ways to call it, by kind. */
  const mistakes = (
    name: string,
    { file, operands, options = [], user }: Takes
  ): [string, readonly string[], RegExp?][] => {
    const words = name.split(' ')
    const call = (given: readonly string[], ...more: string[]): string[] => [
      ...words,
      ...given,
      ...options,
      ...more
    ]
    const replaced = (index: number, value: string): string[] =>
      operands.map((each, i) => (i === index ? value : each))
    const takesOne = ['demo', 'health', 'settings'].includes(name)
    return [
      ['an unknown flag', call(operands, '--nonsense=1', data), /nonsense/],
      ['a number that is none', call(operands, '--port=many', data), /port/],
      [
        'a settings file that is not there',
        call(operands, '--config=/nowhere/x.yaml', data),
        /x\.yaml.* not exist/
      ],
      ['a folder as settings file', call(operands, `--config=${at('folder')}`, data), /is a folder/],
      ['a file as data directory', call(operands, `--dataDir=${at('file.txt')}`), /file\.txt/],
      ['too much', call([...operands, 'surplus', 'and-more'], data), /surplus|Expected|argument|understood/],
      ...(operands.length > 0 && !takesOne
        ? (
            [
              ['too little', call(operands.slice(1), data), /Expected arguments: <|Missing destination/]
            ] as const
          ).map(([kind, args, pattern]): [string, readonly string[], RegExp] => [kind, args, pattern])
        : []),
      ...(user === undefined
        ? []
        : [
            ['a user who is not there', call(operands, data), /nobody|Unknown user|account/] as [
              string,
              string[],
              RegExp
            ]
          ]),
      ...(file === undefined
        ? []
        : ([
            ['a file that is not there', call(replaced(file, at('missing')), data), /not found/],
            ['a folder as file', call(replaced(file, at('folder')), data), /folder|not a file|Can't import/]
          ] as [string, string[], RegExp][])),
      ...(process.getuid?.() === 0
        ? []
        : ([
            [
              'a data directory that is closed',
              call(operands, `--dataDir=${at('closed')}/inside`),
              /Permission denied|permission denied|closed/
            ],
            ...(file === undefined
              ? []
              : [
                  [
                    'a file that is closed',
                    call(replaced(file, at('closed.txt')), data),
                    /Permission denied|permission denied|closed/
                  ]
                ])
          ] as [string, string[], RegExp][]))
    ]
  }
  // Commands without a data directory, or that need no existing one, or require an engine first.
  const ofCluster = Object.keys(commands).filter(name => name.startsWith('cluster '))
  const careless = new Set(['settings', 'init', 'check-config', ...ofCluster])

  for (const [name, takes] of Object.entries(commands))
    t.test(`coffer ${name}`, async t => {
      for (const [kind, args, words] of mistakes(name, takes)) {
        if (careless.has(name) && /data directory/.test(kind)) continue
        if (name === 'settings' && !/too much/.test(kind)) continue
        if (name === 'init' && /settings file/.test(kind)) continue
        const { code, errors, output } = await command(args, { input: '' })
        const said = errors + output
        t.ok(code === 1 || code === 2, `${kind}: exit code ${code}`)
        t.match(said, words ?? /\S/, kind)
        t.notMatch(said, /^ {4}at |node:internal|\.[jt]s:\d+/m, `${kind}: no stack trace`)
        t.notMatch(said, /\bE(?:NOENT|ISDIR|ACCES|NOTDIR|PERM|EXIST)\b/, `${kind}: no code of the system`)
      }
    })

  t.test('is in this list', async t => {
    const groups = ['user', 'oauth', 'cluster']
    const top = (await names([])).filter(name => ![...groups, 'help'].includes(name))
    const below = await Promise.all(
      groups.map(async group =>
        (await names([group])).filter(name => name !== 'help').map(name => `${group} ${name}`)
      )
    )
    t.same([...top, ...below.flat()].toSorted(), Object.keys(commands).toSorted())
  })

  t.test('has a short help text', async t => {
    for (const name of ['serve', 'user create', 'backup', 'health']) {
      const { code, output } = await commandProcess([...name.split(' '), '--help'])
      t.equal(code, 0)
      t.ok(output.split('\n').length < 30, `${name}: ${output.split('\n').length} lines`)
      t.match(output, /docs\/settings\.md/)
    }
  })

  t.test('names the violated rule', async t => {
    for (const [args, input, words] of [
      [['user', 'create', 'daisy', '--email=d@example.com', data], '', /Missing password/],
      [
        ['user', 'create', 'daisy', '--email=d@example.com', data],
        'short\n',
        /must have 6 to 100 characters/
      ],
      [
        [
          'user',
          'create',
          'daisy',
          '--email=d@example.com',
          data,
          '--auth.passwordComplexityMinCharCategories=3'
        ],
        'all small letters\n',
        /at least 3 of these character types/
      ],
      [
        ['user', 'create', 'Daisy!', '--email=d@example.com', data],
        'a long one\n',
        /5 to 60 lowercase letters/
      ],
      [['user', 'create', 'daisy', '--email=nobody', data], 'a long one\n', /is not a valid email address/],
      [['invite', '--count=1001', data], '', /from 1 to 999/],
      [['demo', 'daisy', '--days=many', data], '', /days/],
      [['restore', at('folder'), '--passphrase-file', at('missing'), data], '', /File or folder not found/],
      [['backup', at('out'), '--passphrase-file', at('folder'), data], '', /is a folder, not a file/]
    ] as const) {
      const { code, errors } = await command(args, { input })
      t.match([code, errors], [1, words], args.join(' '))
    }
    t.same(readdirSync(at('data')).filter(name => name === 'users').length < 2, true)
  })
})
