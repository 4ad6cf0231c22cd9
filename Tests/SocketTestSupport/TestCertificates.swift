/// Certificates and keys for tests, made with OpenSSL 3 and valid for a hundred years. They open nothing.
public enum TestCertificates {
    /// Opens the encrypted keys.
    public static let passphrase = "open-sesame"
    /// The pin of ``server``, made with the command in the documentation of `CertificatePins`.
    public static let serverPin = "sha256/XaSqt93WmjVezAXWkIsxHdt2pSkNig3c+XTiK1Fze6s="

    /// A server's certificate for `localhost` and 127.0.0.1, signed by itself.
    public static let server = """
        -----BEGIN CERTIFICATE-----
        MIIBnDCCAUGgAwIBAgIUH1AM6piruOTfH3pvGv+MqFEYGvowCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNDA2NDg0NFoYDzIxMjYxMDMx
        MDY0ODQ0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAASdh6TMhniJjFi94HOiyDDOcFRxMJqsSvCCx6ldPxmJqEBEXnfav23z
        aqg9jx2wopE4vzyfuaaxPzZIY/6b5EVHo28wbTAdBgNVHQ4EFgQU8xDQ+hMQttjX
        okawAFdj8SiAkYEwHwYDVR0jBBgwFoAU8xDQ+hMQttjXokawAFdj8SiAkYEwGgYD
        VR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZI
        zj0EAwIDSQAwRgIhALvVrknQQaC4pzjRV88ashXIJIYx9QfJUEujqir6b8IQAiEA
        tin1i+76sqzW2W7GxT/IdinIUzQUOW0g9+HpVLKYXNk=
        -----END CERTIFICATE-----
        """

    /// The key of ``server``.
    public static let serverKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgm3ubaS3YEA1A/BZQ
        jRr3/Ia1YsEt/HlqBsq+GkQQ+5ShRANCAASdh6TMhniJjFi94HOiyDDOcFRxMJqs
        SvCCx6ldPxmJqEBEXnfav23zaqg9jx2wopE4vzyfuaaxPzZIY/6b5EVH
        -----END PRIVATE KEY-----
        """

    /// A client's certificate, signed by itself.
    public static let client = """
        -----BEGIN CERTIFICATE-----
        MIIBeTCCAR+gAwIBAgIUKRXE104roCMa7NrWtY/YMoHaJnowCgYIKoZIzj0EAwIw
        ETEPMA0GA1UEAwwGY2xpZW50MCAXDTI2MTEyNDA2NDc0NloYDzIxMjYxMDMxMDY0
        NzQ2WjARMQ8wDQYDVQQDDAZjbGllbnQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
        AARPw3VFBmmqLjXKMmtgkfHo4jS5I2TURjo5VQL6hPlkHZsXUECL06tlTrfDXR6N
        j9jE6JUrEK/PHlHq9N4XEAe0o1MwUTAdBgNVHQ4EFgQUCSVB1fAGlu5cEMY+beK6
        rfkFcoQwHwYDVR0jBBgwFoAUCSVB1fAGlu5cEMY+beK6rfkFcoQwDwYDVR0TAQH/
        BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiBeYu7OSPHZunjJGT83YDb9Rkg0TrRT
        mULsUPaOTfJRTQIhAIyLq0FCV9g8+ynytDXsAjpWJWVKXHfPBuk+EgWq9Z1k
        -----END CERTIFICATE-----
        """

    /// The key of ``client``.
    public static let clientKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgz1cbiY4xSvKcsJ/y
        swp4tx2vDmryZ+kaNlzdIFIeTtWhRANCAARPw3VFBmmqLjXKMmtgkfHo4jS5I2TU
        Rjo5VQL6hPlkHZsXUECL06tlTrfDXR6Nj9jE6JUrEK/PHlHq9N4XEAe0
        -----END PRIVATE KEY-----
        """

    /// ``clientKey``, encrypted with ``passphrase``, as PKCS #8.
    public static let encryptedKey = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhz5KMREPbwfQICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEED6rsKjM9Yz6WiW2UCTGz8IEgZCy
        1Qr2b6SdypAu5kFUW8h3lhoV9P+eP0HGrZ2VoCf4BlWqiCtwthxzfBC7Nzx8nBSB
        5fs1KaKlpZgzad00x46PlIwOFe6w4WbjC2sE9gYIwqoTZSsTqpMDYfQ0NLEdD42Q
        naqGWSC7Os0AeyXelS6l1E3tdTk43U8NWeOwfFxSht2NJJ+i6DODa20hBVaT9TE=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// ``clientKey``, encrypted with ``passphrase``, in the form that OpenSSL had before PKCS #8.
    public static let olderEncryptedKey = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,7E0AC284CC54CF5F09B16A6B43DBE33A

        7YxZyERTRUYNSHNSU+xY/guCIhaWYer6j7PO5U0K5dnk7H6EGEozqYEfYuOJ2V9Z
        NaWv7FcX2L3yN7L4T5+CRv4HnhGRzmRDKgvKZIj2V3doXcjqZkalqQXFFz0FPZsc
        3vuGUwBQ7mR+BTEXDUyykIId3M/QJ0V09nEmKyH1fGM=
        -----END EC PRIVATE KEY-----
        """

    /// A key that belongs to no certificate here.
    public static let otherKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgRmPcFk+pm1hqKn6K
        DOewaBkvwS3fPGM7PQj08wX5e8ChRANCAATpvyhIXTtakFbs7/0klWbSO7jEEXD0
        N5tbSp03lT7KOQRDv4T2f+VVEz+uZVvPBx/uNLYnCCew/R7y1JB+knW0
        -----END PRIVATE KEY-----
        """
}
