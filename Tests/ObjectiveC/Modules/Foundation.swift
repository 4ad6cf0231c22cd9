// What the compiler expects of Foundation's Swift module. Only checked, never run.
@_exported import Foundation
@_exported import FoundationEssentials
@_exported import ObjectiveC

private func unreachable() -> Never { fatalError() }

public func _convertErrorToNSError(_ error: any Error) -> NSError { unreachable() }
public func _convertNSErrorToError(_ error: NSError?) -> any Error { unreachable() }

extension NSError: @unchecked Sendable, Error {}

public let NSLocalizedDescriptionKey = "NSLocalizedDescription"

extension NSNumber {
    public convenience init(value: Int) { unreachable() }
    public convenience init(value: Int64) { unreachable() }
    public convenience init(value: Bool) { unreachable() }
}

public struct CharacterSet: Sendable {
    public init(charactersIn text: String) { unreachable() }
    public static var whitespacesAndNewlines: CharacterSet { unreachable() }
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
