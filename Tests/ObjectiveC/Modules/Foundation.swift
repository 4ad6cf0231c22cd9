// What the compiler expects of Foundation's Swift module. Only checked, never run.
@_exported import Foundation
@_exported import FoundationEssentials
@_exported import Glibc
@_exported import ObjectiveC

private func unreachable() -> Never { fatalError() }

public func _convertErrorToNSError(_ error: any Error) -> NSError { unreachable() }
public func _convertNSErrorToError(_ error: NSError?) -> any Error { unreachable() }

extension NSError: @unchecked Sendable, Error {}

public let NSLocalizedDescriptionKey = "NSLocalizedDescription"
public let NSLocalizedFailureReasonErrorKey = "NSLocalizedFailureReason"

public final class NSRecursiveLock: NSObject, @unchecked Sendable {
    public func withLock<Result>(_ body: () throws -> Result) rethrows -> Result { unreachable() }
}

public final class JSONSerialization: NSObject {
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let fragmentsAllowed = ReadingOptions(rawValue: 4)
    }

    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let sortedKeys = WritingOptions(rawValue: 2)
        public static let fragmentsAllowed = WritingOptions(rawValue: 4)
        public static let withoutEscapingSlashes = WritingOptions(rawValue: 8)
    }

    public static func isValidJSONObject(_ object: Any) -> Bool { unreachable() }
    public static func data(withJSONObject object: Any, options: WritingOptions = []) throws -> Data { unreachable() }
    public static func jsonObject(with data: Data, options: ReadingOptions = []) throws -> Any { unreachable() }
}

public struct URLError: Error {
    public struct Code: Hashable, Sendable {
        public static let timedOut = Code()
    }

    public var code: Code
}

public final class InputStream: NSObject {}

public struct URLRequest: Sendable {
    public var url: URL?
    public var httpMethod: String?
    public var allHTTPHeaderFields: [String: String]?
    public var httpBody: Data?
    public var timeoutInterval: TimeInterval
    public var httpBodyStream: InputStream? { unreachable() }

    public init(url: URL) { unreachable() }
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) { unreachable() }
}

extension URLRequest: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSURLRequest { unreachable() }
    public static func _forceBridgeFromObjectiveC(_ source: NSURLRequest, result: inout Self?) { unreachable() }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSURLRequest, result: inout Self?) -> Bool { unreachable() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSURLRequest?) -> Self { unreachable() }
}

extension NSNumber {
    public convenience init(value: Int) { unreachable() }
    public convenience init(value: Int64) { unreachable() }
    public convenience init(value: Double) { unreachable() }
    public convenience init(value: Bool) { unreachable() }
}

public struct CharacterSet: Sendable {
    public init(charactersIn text: String) { unreachable() }
    public static var whitespacesAndNewlines: CharacterSet { unreachable() }
    public static var whitespaces: CharacterSet { unreachable() }
}

public struct Notification: Sendable {
    public struct Name: Sendable {}
}

public final class NotificationCenter: Sendable {
    public func addObserver(
        forName name: Notification.Name?, object: Any?, queue: Never?, using block: @escaping @Sendable (Notification) -> Void
    ) -> any AnyObject {
        unreachable()
    }
}

extension StringProtocol {
    public func trimmingCharacters(in set: CharacterSet) -> String { unreachable() }
    public func addingPercentEncoding(withAllowedCharacters set: CharacterSet) -> String? { unreachable() }
}

extension String {
    public init(format: String, _ arguments: any CVarArg...) { unreachable() }
}

extension String: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSString { unreachable() }
    public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout Self?) { unreachable() }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSString, result: inout Self?) -> Bool { unreachable() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> Self { unreachable() }
}

extension Data: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSData { unreachable() }
    public static func _forceBridgeFromObjectiveC(_ source: NSData, result: inout Self?) { unreachable() }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSData, result: inout Self?) -> Bool { unreachable() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSData?) -> Self { unreachable() }
}

extension Date: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSDate { unreachable() }
    public static func _forceBridgeFromObjectiveC(_ source: NSDate, result: inout Self?) { unreachable() }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSDate, result: inout Self?) -> Bool { unreachable() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSDate?) -> Self { unreachable() }
}

extension URL: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSURL { unreachable() }
    public static func _forceBridgeFromObjectiveC(_ source: NSURL, result: inout Self?) { unreachable() }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSURL, result: inout Self?) -> Bool { unreachable() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSURL?) -> Self { unreachable() }
}

extension UUID: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSUUID { unreachable() }
    public static func _forceBridgeFromObjectiveC(_ source: NSUUID, result: inout Self?) { unreachable() }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSUUID, result: inout Self?) -> Bool { unreachable() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSUUID?) -> Self { unreachable() }
}

extension Array: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSArray { unreachable() }
    public static func _forceBridgeFromObjectiveC(_ source: NSArray, result: inout Self?) { unreachable() }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSArray, result: inout Self?) -> Bool { unreachable() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSArray?) -> Self { unreachable() }
}

extension Dictionary: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSDictionary { unreachable() }
    public static func _forceBridgeFromObjectiveC(_ source: NSDictionary, result: inout Self?) { unreachable() }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSDictionary, result: inout Self?) -> Bool { unreachable() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSDictionary?) -> Self { unreachable() }
}

extension Set: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSSet { unreachable() }
    public static func _forceBridgeFromObjectiveC(_ source: NSSet, result: inout Self?) { unreachable() }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSSet, result: inout Self?) -> Bool { unreachable() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSSet?) -> Self { unreachable() }
}
