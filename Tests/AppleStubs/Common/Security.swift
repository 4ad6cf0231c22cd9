// Declarations of Apple's Security, as far as this package uses them, with the types of Core Foundation as those to which they are bridged.
// Only checked, never run.
import Dispatch
import Foundation

private func unreachable() -> Never { fatalError() }

public typealias OSStatus = Int32
public typealias CFIndex = Int
public typealias CFTypeRef = AnyObject
public typealias CFString = String
public typealias CFData = Data
public typealias CFArray = Any
public typealias CFDictionary = [String: Any]
public final class CFAllocator {}
public final class CFError {}
public func CFErrorGetCode(_ error: CFError) -> CFIndex { unreachable() }

public let errSecSuccess: OSStatus = 0

public final class SecCertificate {}
public final class SecIdentity {}
public typealias CFTypeID = UInt
public func CFGetTypeID(_ value: CFTypeRef!) -> CFTypeID { unreachable() }
public func SecIdentityGetTypeID() -> CFTypeID { unreachable() }
public final class SecPolicy {}
public final class SecTrust {}

public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? { unreachable() }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { unreachable() }
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy { unreachable() }
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus { unreachable() }
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchors: CFArray?) -> OSStatus { unreachable() }
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorsOnly: Bool) -> OSStatus { unreachable() }
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { unreachable() }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { unreachable() }

public let kSecImportExportPassphrase: CFString = ""
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
public let kSecImportToMemoryOnly: CFString = ""
public let kSecImportItemIdentity: CFString = ""
public let kSecImportItemCertChain: CFString = ""
@discardableResult
public func SecPKCS12Import(
    _ data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus { unreachable() }

// The protocols that C calls sec_…_t.
public protocol OS_sec_object: AnyObject {}
public typealias sec_protocol_options_t = any OS_sec_object
public typealias sec_protocol_metadata_t = any OS_sec_object
public typealias sec_trust_t = any OS_sec_object
public typealias sec_identity_t = any OS_sec_object
public typealias sec_protocol_verify_complete_t = (Bool) -> Void
public typealias sec_protocol_verify_t =
    (sec_protocol_metadata_t, sec_trust_t, @escaping sec_protocol_verify_complete_t) -> Void

public enum tls_protocol_version_t: UInt16 {
    case TLSv12 = 0x0303
    case TLSv13 = 0x0304
}

public struct tls_ciphersuite_t: Equatable {
    public let rawValue: UInt16
    public init?(rawValue: UInt16) { unreachable() }
}

public func sec_protocol_options_set_min_tls_protocol_version(
    _ options: sec_protocol_options_t, _ version: tls_protocol_version_t
) { unreachable() }
public func sec_protocol_options_add_tls_application_protocol(
    _ options: sec_protocol_options_t, _ application_protocol: UnsafePointer<CChar>
) { unreachable() }
public func sec_protocol_options_set_tls_server_name(
    _ options: sec_protocol_options_t, _ server_name: UnsafePointer<CChar>
) { unreachable() }
public func sec_protocol_options_append_tls_ciphersuite(
    _ options: sec_protocol_options_t, _ ciphersuite: tls_ciphersuite_t
) { unreachable() }
public func sec_protocol_options_set_tls_resumption_enabled(
    _ options: sec_protocol_options_t, _ resumption_enabled: Bool
) { unreachable() }
public func sec_protocol_options_set_local_identity(_ options: sec_protocol_options_t, _ identity: sec_identity_t) {
    unreachable()
}
public func sec_protocol_options_set_verify_block(
    _ options: sec_protocol_options_t, _ verify_block: @escaping sec_protocol_verify_t, _ verify_block_queue: DispatchQueue
) { unreachable() }
public func sec_trust_copy_ref(_ trust: sec_trust_t) -> Unmanaged<SecTrust> { unreachable() }
public func sec_identity_create(_ identity: SecIdentity) -> sec_identity_t? { unreachable() }
public func sec_identity_create_with_certificates(_ identity: SecIdentity, _ certificates: CFArray) -> sec_identity_t? {
    unreachable()
}

public final class SecKey {}
public struct SecKeyAlgorithm: Equatable, Sendable {
    public static let rsaSignatureDigestPKCS1v15SHA256 = SecKeyAlgorithm()
    public static let rsaSignatureDigestPKCS1v15SHA384 = SecKeyAlgorithm()
    public static let rsaSignatureDigestPKCS1v15SHA512 = SecKeyAlgorithm()
}

public let kSecAttrKeyType: CFString = ""
public let kSecAttrKeyTypeRSA: CFString = ""
public let kSecAttrKeyClass: CFString = ""
public let kSecAttrKeyClassPublic: CFString = ""
public func SecKeyCreateWithData(
    _ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? { unreachable() }
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { unreachable() }
public func SecKeyVerifySignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool { unreachable() }
