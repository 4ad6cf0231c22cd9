import ChatProtocol
import WireCoding

/// The reason why no token was issued.
package enum ChatTokenProblem: Error, Hashable, Sendable {
    case unknownApplication
    /// An explanation of what is wrong with the token.
    case invalid(String)
    case notStored
}

extension ServedChatApplication {
    /// A token of 256 random bits.
    static func newToken() -> String {
        var random = SystemRandomNumberGenerator()
        return Hex.text((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }
}
