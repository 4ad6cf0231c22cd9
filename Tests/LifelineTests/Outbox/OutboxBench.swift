import ConnectionEngine
import Identifiers

@testable import Lifeline

/// An outbox machine with a clock and a store that confirms at once, unless a test holds it.
struct OutboxBench {
    var machine: OutboxMachine
    var now = OutboxInstant(moment: Moment(nanoseconds: 1_000_000_000_000), unixSeconds: 1_000_000)
    /// What was decided since ``take()``, as short words; changes of lists and timers are left out.
    var words: [String] = []
    /// Whether changes wait for ``confirm()``.
    var holdsStore = false
    /// The error that the store answers with from now on.
    var storeError: LifelineError?
    /// When the timer fires.
    var wakesAt: Moment?
    private var held: [OutboxChange] = []

    init(_ options: OutboxOptions = OutboxOptions(), repetitionSpan: Duration? = nil, isConnected: Bool = true) {
        machine = OutboxMachine(options: options, repetitionSpan: repetitionSpan, seed: 1)
        if isConnected { connect() }
    }

    static let error = LifelineError(.accessDenied, "No.")
    static let lost = LifelineError(.timeout, "No answer came.")

    // MARK: Inputs

    @discardableResult
    mutating func add(
        _ id: Identifier, to channel: String = "room", json: String = "1", lifetime: Duration? = nil
    ) -> LifelineError? {
        do throws(LifelineError) {
            let publication = try Publication(channel: channel, event: "e", json: json)
            var effects: [OutboxMachine.Effect] = []
            try machine.add(publication, id: id, lifetime: lifetime, now: now, into: &effects)
            note(effects)
            return nil
        } catch {
            return error
        }
    }

    mutating func run(_ body: (inout OutboxMachine, OutboxInstant, inout [OutboxMachine.Effect]) -> Void) {
        var effects: [OutboxMachine.Effect] = []
        body(&machine, now, &effects)
        note(effects)
    }

    mutating func connect() { run { $0.connectionChanged(isConnected: true, now: $1, into: &$2) } }
    mutating func disconnect() { run { $0.connectionChanged(isConnected: false, now: $1, into: &$2) } }
    mutating func sent(_ id: Identifier, _ outcome: PublishOutcome) { run { $0.sent(id, outcome, now: $1, into: &$2) } }
    mutating func close() { run { machine, _, effects in machine.close(into: &effects) } }
    mutating func restore(_ records: [OutboxRecord]) { run { $0.restore(records, now: $1, into: &$2) } }

    @discardableResult
    mutating func cancel(_ id: Identifier) -> Bool {
        var isCancelled = false
        run { isCancelled = $0.cancel(id, now: $1, into: &$2) }
        return isCancelled
    }

    @discardableResult
    mutating func retry(_ id: Identifier) -> LifelineError? {
        var effects: [OutboxMachine.Effect] = []
        do throws(LifelineError) {
            try machine.retry(id, now: now, into: &effects)
            note(effects)
            return nil
        } catch {
            return error
        }
    }

    /// The store makes the changes that were held.
    mutating func confirm() {
        let changes = held
        held = []
        for change in changes { run { [storeError] in $0.stored(change, error: storeError, now: $1, into: &$2) } }
    }

    /// Time passes by both clocks, and the timer fires when it is due.
    mutating func advance(by seconds: Int) {
        let end = now.moment + .seconds(seconds)
        while let due = wakesAt, due <= end {
            step(to: due)
            wakesAt = nil
            run { $0.timerFired(now: $1, into: &$2) }
        }
        step(to: end)
    }

    private mutating func step(to moment: Moment) {
        now.unixSeconds += moment.duration(since: now.moment).components.seconds
        now.moment = moment
    }

    // MARK: What follows

    private mutating func note(_ effects: [OutboxMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .store(let change): held.append(change)
            case .wake(let duration): wakesAt = now.moment + duration
            case .entriesChanged: break
            default: words.append(Self.word(effect))
            }
        }
        if !holdsStore, !held.isEmpty { confirm() }
    }

    /// The decisions since the last call.
    mutating func take() -> [String] {
        defer { words = [] }
        return words
    }

    /// The state of a message in one word; nil for one that is gone.
    func state(_ id: Identifier) -> String? {
        switch machine.entries.first(where: { $0.id.name == id })?.state {
        case .waiting?: "waiting"
        case .sending?: "sending"
        case .refused(let error)?: "refused \(error.code)"
        case .unknown(let error)?: "unknown \(error.code)"
        case .expired?: "expired"
        case nil: nil
        }
    }

    /// What a store has of the messages, in order.
    var records: [OutboxRecord] { machine.items.values.map(\.record).sorted { $0.order < $1.order } }

    private static func word(_ effect: OutboxMachine.Effect) -> String {
        switch effect {
        case .send(let record): "send \(record.id)"
        case .cancelSending(let id): "cancel \(id.text)"
        case .settle(let id, let outcome): "\(id.text) \(word(outcome))"
        case .problem(let error): "problem \(error.code)"
        case .closed: "closed"
        case .store, .wake, .entriesChanged: ""
        }
    }

    private static func word(_ outcome: OutboxOutcome) -> String {
        switch outcome {
        case .accepted(let id): "accepted \(id ?? "-")"
        case .refused(let error): "refused \(error.code)"
        case .unknown(let error): "unknown \(error.code)"
        case .expired: "expired"
        case .cancelled: "cancelled"
        case .closed: "closed"
        }
    }
}
