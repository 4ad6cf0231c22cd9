import Foundation

/// An error that the server reported, or the reason why a call could not be carried out.
///
/// `@unchecked Sendable`: immutable.
#if canImport(ObjectiveC)
    @objcMembers
#endif
open class PusherError: NSObject, @unchecked Sendable {
    /// Pusher's error code, such as 4004; nil if the error has none.
    public let code: Int?
    /// The error as a human-readable sentence.
    public let message: String

    init(code: Int?, message: String) {
        self.code = code
        self.message = message
    }

    open override var description: String {
        code.map { "\($0): \(message)" } ?? message
    }
}

extension PusherError {
    /// The error code as an object for Objective-C, which has no optional integers.
    public var codeOC: NSNumber? {
        code.map { NSNumber(value: $0) }
    }
}
