import NIOConcurrencyHelpers
import ServerStorage

/// The place (name, limits and clock) with which a store is opened.
public struct StorePlace: Sendable {
    /// A name for the store's file or directory, different for each rule. A durable store that is opened again under the same name has the
    /// contents from when it was closed; under a new name it is empty.
    public let name: String
    /// The largest number of bytes of recent messages that a store restores (`StoreSettings.recentBytes`); 64 KiB.
    public let restoredBytes: Int
    /// The clock for the store: the Unix time in units of 100 ns, which the rules set.
    public var now: @Sendable () -> UInt64 { { [ticks] in ticks.withLockedValue { $0 } } }
    let ticks: NIOLockedValueBox<UInt64>

    init(name: String) {
        self.name = name
        restoredBytes = 64 << 10
        ticks = NIOLockedValueBox(Self.start)
    }

    /// The time at which the clock of every rule starts, in units of 100 ns since 1970.
    static let start = 17_000_000_000 * TimetokenClock.ticksPerSecond / 10

    func pass(seconds: UInt64) { ticks.withLockedValue { $0 += seconds * TimetokenClock.ticksPerSecond } }
}

/// The error for a rule that a store does not fulfil.
public struct StoreRuleFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule as a sentence: the raw value of `MessageStoreRule` or `ChatStoreRule`.
    public let rule: String
    /// How the store deviates from the rule.
    public let reason: String

    public var description: String { "\(rule). But \(reason)" }
}

/// Checks all rules for stores, one after the other.
///
/// ```swift
/// try await StoreConformance.messageStore { place in try MyStore(directory: scratch + "/" + place.name, now: place.now) }
/// ```
/// Rules can also be checked one by one, as the arguments of a test: see ``MessageStoreRule`` and ``ChatStoreRule``. If a store
/// never calls a completion, the check of the rule never ends, so give the test a time limit.
public enum StoreConformance {
    /// Checks every rule of message stores.
    ///
    /// - Parameter make: opens the store at a place, for the first time or again; called in the calling task.
    /// - Throws: the first violated rule.
    public static func messageStore(
        make: @escaping @Sendable (StorePlace) async throws -> any MessageStore
    ) async throws(StoreRuleFailure) {
        for rule in MessageStoreRule.allCases { try await rule.check(make) }
    }

    /// Checks every rule of chat stores.
    ///
    /// - Parameter make: opens the store at a place, for the first time or again; called in the calling task.
    /// - Throws: the first violated rule.
    public static func chatStore(
        make: @escaping @Sendable (StorePlace) async throws -> any ChatStore
    ) async throws(StoreRuleFailure) {
        for rule in ChatStoreRule.allCases { try await rule.check(make) }
    }
}

/// The check of one rule with one place: opens stores and compares their results.
struct StoreTrial<Store: Sendable>: Sendable {
    let rule: String
    let place: StorePlace
    let make: @Sendable (StorePlace) async throws -> Store

    /// Runs the check of a rule. Any error that the store throws counts as a violation of the rule.
    static func run(
        _ rule: String, name: String, _ make: @escaping @Sendable (StorePlace) async throws -> Store,
        _ body: (StoreTrial) async throws -> Void
    ) async throws(StoreRuleFailure) {
        do {
            try await body(StoreTrial(rule: rule, place: StorePlace(name: name), make: make))
        } catch let failure as StoreRuleFailure {
            throw failure
        } catch {
            throw StoreRuleFailure(rule: rule, reason: "the store threw: \(error)")
        }
    }

    func open() async throws -> Store { try await make(place) }

    func expect(_ isTrue: Bool, _ reason: @autoclosure () -> String) throws {
        if !isTrue { throw StoreRuleFailure(rule: rule, reason: reason()) }
    }

    func expect<Value: Equatable>(_ found: Value, equals expected: Value, _ what: @autoclosure () -> String) throws {
        try expect(found == expected, "\(what()) gave \(found) instead of \(expected)")
    }
}

/// Two encodings of the same word, which Unicode treats as equal.
let composed = "caf\u{E9}"
let decomposed = "cafe\u{301}"

/// A random number generator that produces the same numbers in each run, so that a failure can be reproduced.
struct RepeatableRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
