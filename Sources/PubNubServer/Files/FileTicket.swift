import Crypto
import Identifiers
import PubNubProtocol
import ServerStorage
import WireCoding

/// Signs uploads and downloads of files. A signed request needs no right of the access manager (rules FI-10 and FI-15). A pure value.
enum FileTicket {
    /// How long an upload form is valid, in seconds: an upload has to start within this time after the form was issued.
    static let uploadLifetime = 60
    /// The lifetime of a download link to a file's content, in seconds.
    static let linkLifetime = 600

    enum Problem: Error, Hashable, Sendable {
        case malformed
        case wrongSignature
        case expired
    }

    /// The permission to upload one file until the time `expires`.
    struct Upload: Hashable, Sendable {
        var subscribeKey: String
        var channel: Identifier
        var id: Identifier
        var name: Identifier
        /// When the permission expires, in seconds since 1970.
        var expires: Int
        /// The largest size of the file's content, in bytes.
        var maximumBytes: Int

        /// When the form was issued, in seconds since 1970.
        var issued: Int { expires.subtractingReportingOverflow(FileTicket.uploadLifetime).partialValue }

        /// The policy as JSON text. The client receives it and sends it back with the file.
        var policy: String {
            String(
                decoding: JSONBody.object { body in
                    body.member("expires", expires)
                    body.member("subscribeKey", subscribeKey)
                    body.member("channel", channel.text)
                    body.member("id", id.text)
                    body.member("name", name.text)
                    body.member("maximumBytes", maximumBytes)
                }, as: UTF8.self)
        }

        func signature(_ secret: Secret) -> String { FileTicket.sign("upload\n" + policy, secret) }

        /// Checks the policy and signature of an upload form.
        ///
        /// - Parameter now: the time in seconds since 1970.
        static func check(
            policy: String, signature: String, subscribeKey: String, secrets: [Secret], now: Int
        ) throws(Problem) -> Upload {
            let isSigned = secrets.contains {
                ConstantTime.areEqual(signature, FileTicket.sign("upload\n" + policy, $0))
            }
            guard isSigned else { throw .wrongSignature }
            guard let json = try? JSONText(policy), let key = json["subscribeKey"]?.string, let channel = json["channel"]?.string,
                let id = json["id"]?.string, let name = json["name"]?.string, let expires = json["expires"]?.integer,
                let maximum = json["maximumBytes"]?.integer, key.isExactly(subscribeKey)
            else { throw .malformed }
            guard now < expires else { throw .expired }
            return Upload(
                subscribeKey: key, channel: Identifier(channel), id: Identifier(id), name: Identifier(name), expires: expires,
                maximumBytes: maximum)
        }
    }

    /// The signature of a download link to a file's content. The link is valid until `expires` (seconds since 1970).
    static func link(_ id: String, subscribeKey: String, expires: Int, _ secret: Secret) -> String {
        sign("content\n\(subscribeKey)\n\(id)\n\(expires)", secret)
    }

    /// Checks a download link to a file's content.
    ///
    /// - Parameter now: the time in seconds since 1970.
    static func checkLink(
        _ id: String, subscribeKey: String, expires: String?, signature: String?, secrets: [Secret], now: Int
    ) throws(Problem) {
        guard let expires = expires.flatMap({ Int($0) }), let signature else { throw .malformed }
        let isSigned = secrets.contains {
            ConstantTime.areEqual(signature, link(id, subscribeKey: subscribeKey, expires: expires, $0))
        }
        guard isSigned else { throw .wrongSignature }
        guard now < expires else { throw .expired }
    }

    /// The signature in lowercase hexadecimal. The signed text begins with its purpose, so a signature is valid for one purpose only.
    private static func sign(_ text: String, _ secret: Secret) -> String {
        let key = SymmetricKey(data: Array("lifeline-file\n".utf8) + Array(secret.revealed.utf8))
        return Hex.text(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key))
    }
}
