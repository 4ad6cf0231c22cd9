import EngineRuntime
import Foundation
import PubNubProtocol
import WireCoding

/// A call whose arguments were refused before a request was made. The call ends with a status on the callback queue, and
/// ``PNStatus/retry()`` of this status makes the call again.
struct RefusedCall<Answer: Sendable>: PubNubCall {
    let problem: PubNubProblem

    func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest { throw problem }

    func answer(_ body: [UInt8]) throws(PubNubProblem) -> Answer { throw problem }
}

/// The additional query parameters of a request, and whether its body is compressed. These do not belong to the arguments of the call.
struct CallExtras {
    /// Query parameters that the caller adds to the request; nil for none.
    var query: [AnyHashable: Any]?
    var isCompressed = false

    var parameters: [PubNubRequest.Parameter] { QueryArguments.parameters(query) }
}

// The implementation that all calls of the Cocoa SDK share (rules PL-60 to PL-63).
extension PubNub {
    /// Starts a call. `make` reads the arguments immediately, on the caller's thread; `block` is called on the callback queue.
    func start<Call: PubNubCall>(
        _ operation: PNOperationType, extras: CallExtras = CallExtras(), _ make: () throws(PubNubProblem) -> Call,
        then block: @escaping (CallOutcome<Call.Answer>) -> Void
    ) {
        let block = CallerBlock(block)
        do throws(PubNubProblem) {
            let call = try make()
            perform(call, operation: operation, extra: extras.parameters, compresses: extras.isCompressed) { block($0) }
        } catch {
            perform(RefusedCall<Call.Answer>(problem: error), operation: operation) { block($0) }
        }
    }

    /// Starts a call whose block gets either a result or an error status.
    func startForResult<Call: PubNubCall, Value: PNResult>(
        _ operation: PNOperationType, extras: CallExtras = CallExtras(), _ make: () throws(PubNubProblem) -> Call,
        result: @escaping (ResultFacts, Call.Answer) -> Value, then block: @escaping (Value?, PNErrorStatus?) -> Void
    ) {
        start(operation, extras: extras, make) { outcome in
            switch outcome.result {
            case .success(let answer): block(result(outcome.facts, answer), nil)
            case .failure: block(nil, outcome.errorStatus())
            }
        }
    }

    /// Starts a call whose block gets an acknowledgment status.
    func startForAcknowledgment<Call: PubNubCall>(
        _ operation: PNOperationType, extras: CallExtras = CallExtras(), _ make: () throws(PubNubProblem) -> Call,
        then block: ((PNAcknowledgmentStatus) -> Void)?
    ) where Call.Answer == Void {
        start(operation, extras: extras, make) { outcome in
            block?(PNAcknowledgmentStatus(status: outcome.statusFacts))
        }
    }
}

/// Encodes the query parameters that callers add to requests.
enum QueryArguments {
    /// Returns the query parameters in the order of their names. Booleans and numbers are written as Objective-C writes them, such as `1`
    /// for true.
    static func parameters(_ query: [AnyHashable: Any]?) -> [PubNubRequest.Parameter] {
        (query ?? [:]).map { PubNubRequest.Parameter(text($0.key.base), text($0.value)) }.sorted { $0.name < $1.name }
    }

    private static func text(_ value: Any) -> String {
        switch value {
        case let text as String: text
        case let flag as Bool: flag ? "1" : "0"
        case let number as NSNumber: number.stringValue
        default: FoundationJSON.text(value) ?? String(describing: value)
        }
    }
}

/// Encodes arguments of calls that the service takes as JSON.
enum JSONArguments {
    /// Encodes any JSON value. `what` names the argument in the error text.
    static func value(_ value: Any, _ what: String) throws(PubNubProblem) -> JSONText {
        guard let text = FoundationJSON.text(value) else {
            throw .badArguments(
                "The \(what) is not a JSON value. Use strings, numbers, booleans, null, and arrays and dictionaries of them.")
        }
        return JSONText(checked: text)
    }

    /// Encodes a dictionary.
    static func object(_ value: [AnyHashable: Any], _ what: String) throws(PubNubProblem) -> JSONText {
        var members: [String: Any] = [:]
        for (key, value) in value {
            guard let key = key.base as? String else {
                throw .badArguments("The \(what) has a key that is not a string. Use strings as keys.")
            }
            members[key] = value
        }
        return try Self.value(members, what)
    }
}

extension Timetoken {
    /// Nil for nil.
    init?(_ number: NSNumber?) {
        guard let number else { return nil }
        self.init(rawValue: number.uint64Value)
    }

    var number: NSNumber { NSNumber(value: rawValue) }
}
