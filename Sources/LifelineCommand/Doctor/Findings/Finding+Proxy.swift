/// Findings about a proxy.
extension Finding {
    static func proxyRefusal(status: Int, hasCredentials: Bool, target: String) -> Finding {
        switch (status, hasCredentials) {
        case (407, false):
            Finding(
                "proxy-credentials-missing", "The proxy requires a user name and a password.",
                advice:
                    "Give user name and password with --proxy http://USER:PASSWORD@HOST:PORT, and to your client in its settings."
            )
        case (407, true):
            Finding(
                "proxy-credentials-wrong", "The proxy does not accept the user name and password.",
                advice:
                    "Check the user name and password. Proxies that require NTLM or Kerberos are not supported; use one that accepts Basic authentication."
            )
        case (502, _), (503, _), (504, _):
            Finding(
                "proxy-cannot-reach", "The proxy cannot reach \(target): it answered with status \(status).",
                advice:
                    "Check the host's name and port. If both are right, the proxy's network or its rules prevent the connection.")
        default:
            Finding(
                "proxy-denied", "The proxy does not forward connections to \(target): it answered with status \(status).",
                advice: "Ask the proxy's administrator to allow CONNECT requests to this host and port.")
        }
    }

    static let proxyHungUp = Finding(
        "proxy-hung-up", "The proxy closes the connection instead of answering.",
        advice: "Check that an HTTP proxy listens on this port; SOCKS proxies are not supported.")

    static let proxyTimeout = Finding(
        "proxy-timeout", "The proxy does not answer the CONNECT request.",
        advice: "The proxy may not reach the server, or may not be an HTTP proxy. Test it with: curl -v -p -x PROXY URL")

    static let proxyNotHTTP = Finding(
        "proxy-not-http", "The program that listens on the proxy's port does not speak HTTP.",
        advice: "Check the proxy's port; SOCKS proxies are not supported.")
}
