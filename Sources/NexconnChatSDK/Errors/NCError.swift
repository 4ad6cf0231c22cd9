import ChatProtocol
import Foundation

/// An error of the SDK.
///
/// `code` is the detailed number in the vendor's tables, such as 31004. ``errorCode`` is the same number, with two exceptions that the
/// vendor's sample compares: 15 for errors of the token, and 14 for a passed time limit (rule NC-30). Texts never contain tokens or message
/// contents.
#if canImport(ObjectiveC)
    @objc(NCError)
#endif
public final class NCError: NSError, @unchecked Sendable {
    // `@unchecked Sendable`: an `NSError` is immutable once it is made, and this class adds no mutable state.

    /// The domain of all errors.
    public static let domain = "NexconnChatSDK"

    /// Creates an error with a number.
    ///
    /// - Parameters:
    ///   - code: a number in the vendor's tables.
    ///   - reason: a sentence about this error; nil for the default sentence of the number.
    public init(code: Int, reason: String? = nil) {
        let text = NCErrorText.text(for: ChatErrorCode(code), reason: reason)
        super.init(domain: Self.domain, code: code, userInfo: [NSLocalizedDescriptionKey: text])
    }

    convenience init(_ code: ChatErrorCode, reason: String? = nil) {
        self.init(code: code.rawValue, reason: reason)
    }

    @available(*, unavailable) public required init?(coder: NSCoder) { nil }

    /// The number that the vendor's sample compares: 15 for a wrong, expired or used token, 14 when the time limit has passed, and the
    /// detailed `code` for all other errors.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public var errorCode: Int {
        switch ChatErrorCode(code) {
        case .tokenIncorrect, .tokenExpired, .tokenUsed: NCConnectionStatus.tokenIncorrect.rawValue
        case .connectTimedOut: NCConnectionStatus.timeout.rawValue
        default: code
        }
    }

    /// Creates an error with a number in the vendor's tables.
    #if canImport(ObjectiveC)
        @objc(errorWithCode:)
    #endif
    public static func error(with code: Int) -> NCError {
        NCError(code: code)
    }
}
