// `weir doctor`: checks everything that the command works with, and says how to fix problems.
import type { Command } from 'commander'
import { failure } from '../errors.ts'
import { fromError, renderFindings } from '../doctor/findings.ts'
import type { DoctorFinding } from '../doctor/findings.ts'
import { checkAccount, checkProfile, checkVersions } from '../doctor/local.ts'
import { checkApiKey, checkCredentials, checkService, servicesOf } from '../doctor/services.ts'
import { withExamples } from '../input/options.ts'
import { profilePath } from '../accounts/profile.ts'
import type { OpenSession, Session } from '../session.ts'

type DoctorOptions = { readonly tls?: boolean }

export function addDoctorCommand(program: Command, open: OpenSession): void {
  withExamples(
    program
      .command('doctor')
      .summary('check the installation, and say what to do')
      .description(
        'check versions, profile, account, services, clocks, credentials, Kafka and schemas, and say what to do. It changes ' +
          'nothing and shows no secret. Exit code 1 if there is a problem; a warning is not a problem.',
      )
      .option('--tls', "Kafka's listener for analysts uses TLS")
      .action((options: DoctorOptions, command: Command) => doctor(open(command), options)),
    ['weir doctor', 'after an installation, or when something does not work'],
    ['weir doctor -o json | jq \'.[] | select(.state != "ok")\'', 'for a program'],
  )
}

async function doctor(session: Session, { tls = false }: DoctorOptions): Promise<void> {
  const findings = [
    ...checkVersions(),
    checkProfile(profilePath(session.terminal.env)),
    ...(await checkAll(session, tls)),
  ]
  session.showRecord(findings, () => renderFindings(findings))
  const problems = findings.filter(({ state }) => state === 'problem').length
  if (problems > 0)
    throw failure(problems === 1 ? 'there is a problem' : `there are ${problems} problems`)
}

async function checkAll(session: Session, isTls: boolean): Promise<readonly DoctorFinding[]> {
  try {
    // If auth does not respond, its own check says why.
    const account = await session.knownAccount().catch(() => session.account())
    const services = await Promise.all(servicesOf(account).map(checkService))
    const hasAuth = services[0]?.[0]?.state === 'ok'
    const { checkKafka, checkSchemas } = await import('../doctor/kafka.ts')
    return [
      checkAccount(account),
      ...services.flat(),
      ...(hasAuth ? await checkApiKey(account) : []),
      ...(hasAuth ? await checkCredentials(account) : []),
      ...(hasAuth ? await checkKafka(account, isTls) : []),
      ...(hasAuth ? await checkSchemas(account) : []),
    ]
  } catch (error) {
    // Without a readable profile or demo file, nothing else can be checked.
    return [fromError('account', error, 'problem')]
  }
}
