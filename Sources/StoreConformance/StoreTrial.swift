import NIOConcurrencyHelpers
import ServerStorage

/// The place where a store is opened.
public struct StorePlace: Sendable {
    /// The name, a new one for each rule. A durable store that is opened again under the same name has its contents from when it
    /// was closed; under a new name it is empty.
    public let name: String
    /// The largest number of bytes of recent messages that a store restores (`StoreSettings.recentBytes`); 64 KiB.
    public let restoredBytes: Int
    /// The Unix time in units of 100 ns, which rules set.
    public var now: @Sendable () -> UInt64 { { [ticks] in ticks.withLockedValue { $0 } } }
    let ticks: NIOLockedValueBox<UInt64>

    init(name: String) {
        self.name = name
        restoredBytes = 64 << 10
        ticks = NIOLockedValueBox(Self.start)
    }

    /// The time at which every rule starts.
    static let start = 17_000_000_000 * TimetokenClock.ticksPerSecond / 10

    func pass(seconds: UInt64) { ticks.withLockedValue { $0 += seconds * TimetokenClock.ticksPerSecond } }
}

/// A rule that a store does not fulfil, and the deviation.
public struct StoreRuleFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule as a sentence: the raw value of `MessageStoreRule` or `ChatStoreRule`.
    public let rule: String
    /// The deviation of the store.
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

/// A rule that is being checked.
struct StoreTrial<Store: Sendable>: Sendable {
    let rule: String
    let place: StorePlace
    let make: @Sendable (StorePlace) async throws -> Store

    /// Any error that a store throws counts as a violation of the rule.
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

    func expect<Value: Equatable>(_ found: Value, _ expected: Value, _ what: @autoclosure () -> String) throws {
        try expect(found == expected, "\(what()) gave \(found) instead of \(expected)")
    }
}

/// Two encodings of one letter, which Unicode treats as equal.
let composed = "caf\u{E9}"
let decomposed = "cafe\u{301}"

/// Produces the same numbers in each run, so that a failure can be reproduced.
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
