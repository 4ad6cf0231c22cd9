import HubStorage
import PostgreSQLStorage
import ServerStorage

/// Tests a server's data directory or database: `lifeline doctor --data` (rule DC-10).
struct DataDoctor {
    let place: DataPlace
    /// Called with the result of each test as soon as it is known.
    let report: (ExaminationStep) -> Void

    /// Runs all tests. Blocks.
    ///
    /// - Returns: the number of failed tests.
    func run() -> Int {
        guard place.isDatabase else { return examineDirectory() }
        return PostgreSQLExamination(place.settings).run(measure: { ContinuousClock().measure($0) }) {
            question, verdict, duration in
            report(ExaminationStep(name: question.rawValue, verdict: .init(verdict), duration: duration))
        }
    }

    private func examineDirectory() -> Int {
        let start = ContinuousClock.now
        let verdict: ExaminationStep.Verdict
        do {
            let tables = try place.reading()
            defer { tables.close() }
            let parts = StoredPart.allCases.filter { tables.parts.contains($0) }
            let texts = try parts.map { part in
                let rows = try StoredTable.all.filter { $0.part == part }.map { try tables.count($0) }.reduce(0, +)
                return "\(part.rawValue) \(rows) rows"
            }
            verdict = .passed("\(texts.joined(separator: ", ")); no server uses them")
        } catch MessageStoreError.inUse {
            verdict = .noted(
                "a server, or a copy, uses the directory now",
                advice:
                    "A second server cannot start with this directory. Stop the running one, so that doctor can test the databases."
            )
        } catch {
            verdict = Self.failure(error)
        }
        report(ExaminationStep(name: "databases", verdict: verdict, duration: ContinuousClock.now - start))
        if case .failed = verdict { return 1 }
        return 0
    }

    /// The result for an error of a data directory, with advice.
    static func failure(_ error: any Error) -> ExaminationStep.Verdict {
        let (fact, advice) = (error as? MessageStoreError)?.parts ?? ("\(error)", nil)
        return .failed(
            fact,
            advice: advice.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." }
                ?? "Check that this is a data directory of lifeline serve, and that this user may read it.")
    }
}
