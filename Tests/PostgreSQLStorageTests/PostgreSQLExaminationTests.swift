import PostgresTestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.enabled(if: PostgresProcess.isInstalled, "\(PostgresProcess.reason)"))
struct PostgreSQLExaminationTests {
    private typealias Answers = [PostgreSQLExamination.Question: PostgreSQLExamination.Verdict]

    private func examine(_ settings: PostgreSQLSettings) -> (failures: Int, answers: Answers) {
        var answers: Answers = [:]
        let failures = PostgreSQLExamination(settings).run {
            $0()
            return .zero
        } report: { question, verdict, _ in
            answers[question] = verdict
        }
        return (failures, answers)
    }

    @Test(.timeLimit(.minutes(1)))
    func `DC-10: a usable database passes, with and without tables, and a server there is noticed`() async throws {
        let server = try PostgresProcess.shared()
        let settings = PostgreSQLSettings(server, schema: "examined")
        let empty = examine(settings)
        #expect(empty.failures == 0)
        #expect(Set(empty.answers.keys) == Set(PostgreSQLExamination.Question.allCases))
        #expect(empty.answers[.tables] == .passed("none yet: a server makes them"))
        #expect(empty.answers[.server] == .passed("no server uses the schema examined"))
        guard case .noted = empty.answers[.encryption] else {
            Issue.record("A connection without TLS was not told.")
            return
        }
        let store = try await PostgreSQLMessageStore.open(settings)
        let used = examine(settings)
        #expect(used.failures == 0)
        #expect(used.answers[.tables] == .passed("messages version 4"))
        guard case .noted = used.answers[.server] else {
            Issue.record("The server was not noticed.")
            return
        }
        await store.close()
    }

    @Test(.timeLimit(.minutes(1)))
    func `DC-10: what keeps a server from starting fails, and no password is shown`() throws {
        let server = try PostgresProcess.shared()
        let administrator = try connection(PostgreSQLSettings(server))
        try administrator.execute("CREATE ROLE weak LOGIN; CREATE SCHEMA alien; CREATE TABLE alien.customer (id int8)")
        let address = "postgres://weak@127.0.0.1:\(server.port)/postgres"
        let weak = examine(PostgreSQLSettings(url: address, schema: "missing"))
        guard case .failed = weak.answers[.rights] else {
            Issue.record("Missing rights were not told.")
            return
        }
        #expect(examine(PostgreSQLSettings(server, schema: "alien")).failures == 1)
        let away = examine(PostgreSQLSettings(url: "postgres://ann:s3cret@127.0.0.1:1/db"))
        #expect(away.failures == 1)
        #expect(Array(away.answers.keys) == [.connection])
        #expect(!"\(away.answers)".contains("s3cret"))
    }
}
