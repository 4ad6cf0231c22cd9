/// XSalsa20-Poly1305 as PyNaCl computes it: key, nonce, plaintext and box in base64, one vector a paragraph. Lines are joined.
let secretBoxVectors = """
    OLTmUuRNp/I3DZ4mDicTZVCko6bQf1wMMy+LEiQIP9I= K5AviRHoGBj4yZ1dXZgxlXUE2Q6UXeLo - 00EW7rJnJV76Yj3CkcMTcg==

    9U7ngcx19jbYUJkJWqMAFlpnA2+bVA1rjwviESQXnD0= 2fc4F85uEY0mSq1stt0hD6+UrNPPksGQ Hw== qwHtc0IIYitBpYABf3y+BXg=

    XRCM8lkwJjk4s3ChtXafoPFIP5WpDZ3y8TDWD88EvZM= 9QrmlRTajGWc4rEMzNrr+ZDRmDiw1+wL gY4= ANbLn/MMcaF8EHCOMP5HZ8Mn

    y5bE262+FyKW1SNKQrJMa6Tm7STsY2qKwKEnHlhmJ5I= OKr4TlgFbY8vqO3QlLqXrosVRC7i22Ea kb/jlHM6kg== popQbbWLRJ4KqyIvRYWuqGrPddQxa
    8U=

    R9WPo8VQGDADclVf0jXxGCn7OIwi5Ey2N/ASEMNwepA= tAVCD7Fpd57ftbk0JAUVf1SxLq5i0R6I frB2bRh3+MY= 0TrGEjsLCB2kHcau7/fZvlz8HzENx
    8Ri

    7/JrUBCvMXfRYeeVh6dm7DDkA3RYqZBcrYe9THfimD8= J3Rcy5oxBS6UTPGyIOqix/sbfT4/c/QU r24Nk1Ug3UwhR3OG8r9+ UblahkospfFe6ok7wbBFh
    joPsLgGPP/uCJE7cG65XQ==

    xwIJ4M0F7lcg7by6OszmcghKtkn8vOSbOL3s+s5KvRI= EI85HrwHDoPoGApr1PQ6Kv/808Eu+JBX VXXoJuLL6u6Cryx9aWz0aw== l7hA0DIpka4owsdFt
    PBaCOfI+zCHUzZ6eaqboNja4o8=

    l3wJCvThRvbQMRCrhu/eE57qusN6Dd6O8tOxkl4TAso= V1Af4Mqaf9HMwVFQQkISV4/g/rF7SqVZ //////////////////////8= RWRsJvVAjaarEJjj3
    f3Z2rrzu/bQbPJg4+Y8YdlPNsHE

    zZ8omEsUJn8bA3SU3RwBzGrfyXTRcpoR/iAI1zfo9Rc= 1p7W8YG9GkUpgl55RVlxshrhBaqy1qMQ CwiIDw9CLbs2+5Szy21CT4E8qqWzSPSTC4k7/mWu F
    xKPC36uFL95jh2XGJ0sEcHOTGWOHLO2SYaEj4NMqtrfJWcJ//sOUwh3oTJKbg==

    palp0nCDFXKvQNtIUut0t086w2KIEhXjHtMsqz1W1Vg= B6/GBTVYzvCSqTF2KbL/WuY3BSs4OWWc eP35HQqqYn4AoxcP+3bcN8HqqsSZI5VJz3AcIWEFvQ
    == 5H81m1RHXpm6036lNL1nCpK3ebMqOtSfi73yS7vJAKyJhl7VE4cYe6niHfDY7Gs=

    g69jP1Cf3GWcRxVk0ne06rCCFd88EBt/5/mgFBr7lio= AvL9cnYo0mYRGKiMH3cgR1lxJeJ+lw0j 2VK80bCqNm4JFi7dXzDbjE2aRkc6ata0Td9Qakobif
    w= Q5TW6l1ck8gU2mYccIWvlmi8Pb2K/9Jl6Owis5IYix7PEHLZDo9YIOWYNK04Txx9

    QG3YWyTwxq4FdlriyZlkYV3fLfX/hxI7vcCiJip8PhU= 8JocLb19uyZ2hmE7iYyUqOrpuzuekBYD f4QmfC6MwtRfzNCWzwWuLsVcQ0O8nCxIWUcMAU4MSy
    Vr syHXKNa/DPYoyoDIY1cswLyAVz3ZQjNg8pGjAdvVyTgfJZVqDEwWKQzjSUJrZcJ06Q==

    AfTaiO1mh173qhycEb37kPWIkFHAOf7zJjYgIC0xxLA= sqj02xY/94N64EHz9I4ansLhq6fbchut gYhivWV60g1dmuZ0j8tH5jSD+N6RFKzHttCu85MY4N
    86rg== Szjb8yc2drXtY/TnEEyd4QRHRCzAYBrTyWhMNmq0N/W0kecE41KanSuMqVKajM5U7/s=

    o2lBzMhuLI+j8XJkI+TnZQR6I2atDOVkLGiBGlwURXs= C81gooZog2Yoee8PfcnLMH2xPRENLRP8 CoFxNTHszHCls4wp+UIkHJXBDVcJQ8mZXZh1DaCMNR
    rISQ8AFrsYkX9MuSbXX4k= F2H2LTM+V374D1p+G0RN1YshrS3JieOgEgM8ClhN3Fia1Xiew3t65NArauYKaDhSO9VeNf03x/mKEE3DQ9cO

    nJH5GUVO7vIvihVdoOIdnfo5hwadMwASNz/U3xxjPDU= HKAznUqRUGCdZwcmh6poot72k0B8jZn0 //////////////////////////////////////////
    ////////////////////// wR2fWrimIkjeHj3yDFD72yr/wi3+T3k5kJm/T6OVtfzWA3RLkjIofDkAMl41PXeyXx2jBRG030oud5QDrAnDLg==

    cYXuWA/4Lpqo0Dldkv1heauWch/DzocdJu5T2SQH8nw= 2vo7/qObUvrXFUt3aCz7eouW3Hu+jdVP non8FVri5CSz9ygaVaHqv377tldlqIe9mhvHQ6L3hn
    q73S/U9qEqsW4KVCnCfy6EBQ== JXnoBtC01P5V6deej0XbXqtlt36fqddMh2eVsY+6XHR9BPf2Lm0ZB5OHQeCqOTV+RxhtVBrCWhl5jbjGot0MPg8=

    dviINFPKc/MNpbfzeOA7hzXPm1xrvocl5USosAtZDYs= Q3UF6q1B7AYqqBXCJS4yhwabT0yrDn/6 ojaWpJLeAt2id0wXx/M5svZAb9gIcthCGKi1hJcJ4F
    3UoYPoRkTDKm/nDlsWuZ3FJ/IIOaT5V4iMJKSKJHDH yafzSQXxcFT5uiKfNPNlHseczZZni4YtqjzS6WZzNJg+oNp1RdOmEmEdk7ttvgIY59v/bvc0s7EcP
    Z87aaedu4yP4GlYs7pkG2aisttj4g==

    i8CwgMLsZFS92+2iQkIZOVKG/JxgM7/PsYjUyQsdJPw= AmshworhRdoHF/UxkipbzqWCSD2XRH7R NkCTZmdRaL39xqbNZZkLOjHTLTO4+IOEavMmfo4lBl
    v1EyO7Nj5rByapVv1c4iYHhutEyjv5h0eNueR4UkBZQg== /iDoNr8qrvYbESWGitZfCI02ayDfK/OfCCyfYy0nLZIAU8YpWtrXrU98dbgQSyhstarGwfOEx
    4oAe6Br7aUE5BuNGGY/NG3nhq25B84+kts=

    BLeSMSQeSbEpZOqaCCze9HfLIlhJg31yHyr+zgef4O8= 5ekeuewP8PzPHnpZ3et69ErQefkFx1hd myWeFAA4cDiJ+CYafJESOnYpV3jdVVsyrfZ1VhPQUT
    S1Ko97odDCnyRHOfx1m3rmzSM6nGvIJtc0EH0AOcW+eug= u7qppqYm7qw2wn3I0jPLI5u7w8TOmcgsk+gjFh46jUFkrqDYvver8PtmNnJbWRDvwK8H/VG8z
    ae92TgXQ6RPQB6fAkC34zE8Pa0pXPFbJhRa

    uZEppw7WEFjZc7XM/16kpOsKtBVNi6vVOSQcqQkBsh4= iSfn6AcUd2NwAEXIcWcktpI0CcChmAYz kVpger45luN/mbMtrbYVb5/HBMpFjsai+dgfVQM9NR
    bhxQLNWuQ38jGIvvh6gcm4/qtVZW+wkXZOScFm5lxMvmHy vjFGg3qGKolx0OcLtNBTABOJOotSxnV7NzQyvCvTwnWJvJMqJF5krYxL2kD0XtB/rHNTWMtaw
    W+H5J6bqRxpvIbqzLPSWE43OKC44sAbzCOxxg==

    j0S9FcJnjLlRyqooH1yFK4+cPP40loUgCXENB/zPsSY= hnk/lwljpOeebiF39Ol2zptS5qf5rWsl 7xGQnNYwltP784qYllT1+q10b3kZvEKo6t7975JOtF
    lv4OknHvx0jF9xXIx+KIghskB6BcFspQMrqaLMK0KM+Fxj87lFFFGm+URPGgPOhg== s0MnU/9Mvszgl85i0ib/QDFVl59g1W72kMMqIZU7/2zmaHkHAsSeE
    iqfVAgZsw2B0E8Ef4C1oI/67DLy1TM7x+Woyyp1htUqlSunmoMt45iwBEyn4Q0axnyzR3LU9O4=

    FfzevwsJAu+I76UjiSIOb7OAjvx5iyrf9MTeMRXpftM= DVy43/zeBjbSmCoHCj94QI28eDbR3P9K //////////////////////////////////////////
    ////////////////////////////////////////////////////////////////8= ylrdZpJd7xFwIncIZ3W7GRULeEUxmEpUB+JZ7dp0MMr8rRw3/OwB1
    pa0tNXLbxH+CNyN5T2yailubNrgWXl/nW/LpiPepmz85bDy91Tm/RB3557biaCBdGkiyQeCkQSX

    1iVMgEz9kz2ghIDDDb8glgIJdFMxu2VC7rNaiwZoRGs= tM2N1XsLjiFEcJcPveD26BqIa73wlpFa +u3P5c0JSnVR85epXlhWlRfsptBI/n/nNHBKhFtLrm
    sBbb/T0sTv6kyrz+C1EGyAfbN5IVauJYjbv94mGYcEhpk1s4KN18kEFzBw36wGrHDG 3xVgGLToBeTHWOBnJwKXnBvboWYwwNeozgRwffYtlIRopoXGjOtKo
    csLBnQKB+DVRtI7aD//Yq1rw/I5Y8yDvVD222pXZ6He4RF0DnbQav72aYMTatdMMrlYn78ge2Q+ow==

    nSjgLrc8ypsRuAEBVX2qxkZvlsyndFkmH+oeLHA1PSQ= NtU2eTdrfZ4uRKa5XWHOHt8vdY7KMc8P 5ZBzU7BEra5UgLKEt67dh0FwMY7RRIR7shTGyCsOyM
    aZ/Ckbyjcb4l+Rb4+U7IsO+VKdP1hw+TCQCeRG4YvNClrnssWR1QUZUov5gSzNwXNAf82PwjUiBwfpjsL53eQ= ES5WC2NJ5OSaIqu3rhZOn4JKnWWNUALGh
    O35sBwaW7uvXBwh959A+0OlnQPE0Sg91SYBVfu9ZrW8Gc/11GRzR+HXh7iew3qfb8v5NbxxKkZg9Cr7o6VgELz5rMS+2M4iMS1ab93tbSj/7EXnYkxG

    7tCY6bXwOBAKunhxQ2pbU5igzpw5Iy75Bu5rgcDWK5s= vwMdg6MWDDOt0VaxtKH1RgPvzHOPhRaC 6GSFiBVJr86DlmB6ngb8gc43BvHeXmY/e/H/slsR8Y
    UUoWTgXAFA4C2/MvEe6YTt66N0QgWWO+zjSzyPYpaL5NLyefF/19wz0TkK1701kXIUPhsj4LmoatCdIh/k/XFk ddti08NV7m3/ORdRd8Wa0P+xJD5aXmnfS
    WuWMEpWZoEk1SW+F4UTLzok7GJknO6/7SrOvAf83AlT/9N5gxbx3BTY9F3clyX0biFlGY1TlMar1oOHnvPyk40NZib/QOX8aKhY4hL5ck9Cd1FLxCaI2g==

    s6YucVQN5FCFYZIS+9fQq3mAmj2Hmqdt7Qq4Eq7WcjY= zYZiq6z+gk3uB7DIZVJSHz6Go+XyDeXG WdCJJ4Vgg/DuoVO3xKm5pC+SBqkjML5dhEWaJNCsy0
    AiVQHiHh4jI98Dsfcfib13Zeg2OKCOJr+CT9fz9JoYGIYp9GUE9oriWh+9fKXxrCk7N2j98xn3qhUYG9VrM0U5KQ== i4FCNjCwC67+SZG8W3+Js5GowzGFY
    g/idqXDTOZdDQW2F1EFzoJY/DzbynY4KWkzuBBPdI3UExC5Q69vt25jjxIZcmE1n0z4kaH5wkmALAg7Eg0Mw6vVF3TYwCcThPBqiABaom3mJ/P8huADROLmi
    HI=

    wZ7RtKQ2eG7kinv+e7H+g2cTYGfNUNBWdsbYa5ZSHDI= dRtLW1LkilEeB5oXgeDeuG0Qr11V1fwE JNaFVrk81o2Jcmt1odzBcIW6AbRHBaEEumdkYqUL3V
    SMi3aEUK+5n2Hhokv1niOD7VT19ZdcdRAMvOMcWWou/KH4JetQKdLJWYGCOvsQwfgTPlvg8dXSGgMKhRUnBfxDnEU= Lxk9kOAAPletwR3Oeizwi1i7h0csH
    sJbc+fOaOvDBognxtHYfuxx7geA5SPAjCwmktPtvATRiPTMd8TMIzfr0eIdnbx+2AgwsQVxIu5PtENsPPxjJ5I2P+dLxpKaGfiLWrV3/L2dJLdRQm5gXEXYD
    Vwc

    hXMiCvb56Oc/YGzH6SZ6LpH0O0ViknrBm40qIVPs3NE= gtkYbHuWftlpalLptpsMrTebqNGCKC3y VDM0Qmoy7Gde+jwma4teiePSTusoy8iDTIISkh3lnn
    7Ojk6zd3O5U8P+5haHoHBHqA66Dh3FscyNPS6weaLvLsKT4WxgaTHl+rqJElMq2ETGrzfwdBVPBK6gaqKRQawWDog3zVWHs0JrJnAV4YOxm9LMMdvruu84ti
    wOEQ+zQw== XwkTPqif2+8e6M/Fw+ueyoBHT+ANqonMr3w+Xx3sUD1Y48UJXGl+lEww2vdftQahNynI6Ly4CmNgEaNYE6++9C3eUmA2txfJLPyJdpX2sntYV
    a55buKw6SFsrpW/6T1LnGqcrBLTp9GPEhFLgH8jzyMjx2cs1db8xCyvBLuJZKD3BsC2lcAHRkAnXqT2Vac=

    BNLe3KpCJh9jgCp0QrP0Aoym0lah1Ir+MZyVjUhX8mo= qDI67ZpnWerSdJJELPUnn2jgFCE7hw8L //////////////////////////////////////////
    ////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////
    ////////8= aLxTXfSBQPp11zaepZFuhAS0SwZLnaPE5aWMT6HSV0i+W/iHuE25fPufXDp6G0+grKHj4DBHOtIcxVzvNlXxBhJolys+CxF+4Xzd3Xuov3cjP
    kidkxfA/hDKQQtN5JFO84nJkZBpqV1R5VFeUxeu+4WElBjVaLGJG3XXSger/tz2XunHm0nFjpGVR/n0rGei

    Jufjhs8ypLULJwo9MQUp8MYCBRzdVB74XLpUKe2RC0M= aa/lDAyVXy5oFaczZLun7uy73k/alvCg cdUUTt099YdCem7CYP+zNJnfOkr/iBhydM4FgJN+Eq
    zA2IotJvRARRsP1VhH573NUVamBFZ8l/77aB1AQIN1CSC57QN9FbgE9ieruweKcoE3jhGNdJdh+ok4gDAp5qSD0OmJeVra5D7VwETvnDtychtBNRsiroeoHs
    Ck0bVYbaZu aJ8Rs5EYyo+/7zNbkaOxCDNxtQRud8KZmowEia9UiMz9vnuwzqbfGW4japoSIjlV3PdXNtWTD6H2+nX3ekt9DYMRmtNbcHcSUFn+VUX2Q8H/H
    k7cytdBR1o0cfzs57u/S3qxemI5MNpWdLqJfc4kyFnaj645dUX9KOzjSIP9k7JCG3J0nTtSnC2dkW7mWNC2JQ==

    oQARqFdsuH4Rg8CLKkKp1Z6Lg+P1SaFkrmRm+LUrtoE= ot7KTrvXD7AWHBY3ITmB+5raxDqXfbtX zQ3ZMgS7ENWjCsbhtvTrtBCIlbq6Ys+irpzEI91Emm
    cw0Ev96i35WFadXPsjaOwNL95E1n/KOyFmOaYD5uMaEm9hHaAA6qq9PiE+4bCZbkH1BUVuLYbKKQrELg7mzKAVYFxMqmlnXdf/d4FhCZHb3nx5hYGzuairEN
    6O+I7HLEjEikmZpqoBPpzWU7Gu4QVL Vujxo2gNYpSovX2tVJ7TVBkiT6bWosggR8p4HEANmtzGS9MqTdKwnM9XijcYRAJHS4O1t4A9hKgjVX/P2qmz894lf
    nG2bG24DRST184XRP/5yb+vSn3uh6SbDblktO5GAiNI9ix0CqwH7aErwQT+dv6b6B6VVEej/sazDOH6XDswN1PqwTUaHO7/pGOPm/0lyeQr90Bder8GD/EAh
    IZU5Q==

    Oq+UC1m1nnUFO3MvJBRUKP+W30TcjyFyAmvtANnlY0M= Bl44XWikN/ZWgTRUCNL9+KklI/wzAA2M Gx7TUrQLlD4RgNEI5u8197c35OFeiD5PmA7GN2EVSV
    sRVNYuaQ1GAI1e2FUMSLJhCtp5FbI+gnn64WdHSiS1gJ7J8KfMbXMzWa+IP8xaNoHvibfGK3BEAZQOQhcGj6BDZ9Ap0SEU+hacWNQkKF1GZqeSOJaBr6oK08
    jbZD8twgWnmrVMrfjiTZ0LMqFwaJk7rqigFT7J6JXCtSf1Qvd4hw== dxpIdwevdy6vfr/kv4jRqzGF9ekYHTa/ym9RS+OXe3coFkN6SsokDTfiDXc8XId4K
    mLkhM7aXBLVRljRFZOBCCpPgd+fSfDMZr3LQycHMb+ppiWtro0XNzAKkzXaXh4mvKjUQeWNaDNRtJ1TQJkEQpX3aormVnVYYOxhynUQajuu4HWfnPMWzHQmX
    edN/51xhT5WywrY6BZpL0dtZMViYN4YYxDe1rUlxLtK5yhZkLM=

    jm1u2kluI8Cxmr4nNMhUqAKejuSbWEu3/+q2yH0WDOE= Zhy4mPVZt2OJ6KnDKJF9UytOfriYNBf8 BEmDfpg3QybPy79I00ViudSXY560B6qkNHsOJd6xNQ
    tc1inTH4nV1fL1CrecVVbkhbxSg5HWmKAf++Jtm7vdu3w6eLM7lO3PMiNrgdqpqSOhZe7oBPUUhu3mu8AWdh6BQt+HkVp4vtVMkRrQHFr/zZTNHQRFjI/TqZ
    y8ryEOhZXXk0fMSX2Q5IRLELYPO9KuJoLB9FXSfbEVbZSkJ2XdOhU= /9y/wcXGeGI/4xFKtaN12/1pjVq3QeMlBccqgGTK/SFy1MlkciivemFjiNv9Eu7QJ
    pTkwj/7HA7EPRKfSRUhVk29hwnjFloWFcQ68NWYESwvxcrH/eHTm05TNz0cf9UT3el12lS6W3YexiUVCmI0hlKKxQ7Gs7QV8Qf7nwZdGUp3ktB/ph6hOyDJx
    DN6iyDswJ3J/C0Zl7XlTEtyJzQEoOx+2SEsOozHUIkDDrZ7ujyW

    9yL6B4h5twpAZRIi3UkaoytTV1x52KL1Xc7bGusNamA= w2D41XcLjnNCpPuOVPD/DGRYtaAJvtIE mGBQoAG0DIjjAUCuj3abPm9kQn177odDNDXZABKU+n
    Q06DXMTdTyEapRjr/xn7ju8bXCgIH+2eX82gKJn4GJF+DZx6hjSqeGAa3oECYG6L7qKJ68JslOeUbBj0Be9ijPsicPE7I2nNi8n/tDF+kaPHOztbrcJKbB1y
    KJNNmFETsMaGW9LPZhpnnGyfmk2Nh1X21zfnm8dNjRe+9hfzmlE/FooHrbVxTp97wGr6i/jUkvJ1jEvaT3C18C8p22/qE= gDV0SPGBoU7wyBrVzkEScAxwe
    FQufdJiGsPaSHJ68tQCM3lXd+E8usAMVZv6qM2D/wiDbrpA8Pp7o38JAkKoReud85m9FLeyR6OoKLWjNyXJF2Pik4K+aab3zDG8wlFzZaV7BRYQPF2jsb5Hw
    mPo85ejTJQ2JXkbZsSCOliITeAujxreytH4MOzBwC3yYEB7OSutUMZ9WpdROCEKkhN6o80eI3/dV8zbiLGxf5eSVm5k8Qe7EOqdhwAnbk/+E4ugchqcJy39D
    7uEXQ3EH+BO

    XB2MpEQkwzJvMdUT4EiGmVmmvSVaEu9U7ToCQaP0yqY= e3xDvvEHYbESSO5NWrwDn6jUWJGuMCki rS4xA0vsf3vjeocP3EJdfLNKzkSsWfb4pUsIrOIUeh
    k/DDOxM8K6N14t+6wXXVd98pF1SpyQeLXprjuEoWEZSR4l9HbKEEV3tQBid948ZcQINFYeY+9I/v0Xx+Q+R5CMzQwCMxjpyU/Ncmb6ZYv6FU5dru9K7xJ5EC
    x7BDl/Ikq6HH91BCmTE6PQ5NElwLGBJPHV9620nv7xNw9zZ550/pW4xkRSfghjSOS3NWxVo+rkARLyZZw37gAD8TUk1BkT ouuQJm0SPvjfWa0jvxlrlyts0
    LVl4prDtT++kL2h0LvDdSOA5zgWH9BAaI0kRWCc742QkTj6o1B3c+hoGlypfNS1n05TGeQKTcMgyd9e+LfSDMKcLKTxlqog6Sam0eyZGwYmUE5EMDV6dDc0L
    6FlTUUKVda8UhZQmZ6acfUGCZrQCmDm/bih8dsJI+mIUKj7kIqRgISxEW9mGBvoyMzcgzt5+70vIWM9cloLneVNVFHwPHPe+rUIG68A90cpODpfbNXTciZbq
    2DAAW5FULLnSg==

    j1/blIwaHhf2HUkkG0Fbv7UrKYaG6QVDc8rm8w+0C1w= 4mfyIVQtdpr+vfnR1gG1oe0RPYLpwpFH //////////////////////////////////////////
    ////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////
    ///////////////////////////////////////////////////////////////////////////////////////////////w== SAkb8PEL487ABaM7kWkjr
    bW33c9opbnVB99vxamC23K/Tmp88qf8ULkZABrG/0BW4UZVpf5ZXDcj8o7FpUx5q7GgzpRwkhkAFAdAvv4Pwsxh+F60MvuEotWau9gRwQQXqbeRG1Nkmcdc9
    VmY021rwX3F5hKWTrKzdoUSXrR/nc8MoK4gvu9AayIqBAZ3FHtuvCrF1vqu+M/JPRKHXqOfHou7trsabzzSKCwuum1p34QjXYQYP2Qf2jaky4RYN/u6dfPnZ
    xsyyWPOrVuT40B5YXs=

    GWYJ48Fv2Bxt5Q200f58Xb/0Ozu1lXV/TQrQ5c4NS+A= ybZzfAJ24mQ1jFsGc4C4KBFO6wDljDDz ycvffQmPfK7sBmVzuY/JZ8epTE15pii6YGMFJMvZim
    qrxQ1YFX5IYKd96lBE6vMeiWEZ12us0VSEH3IA5IwVUyEbMMD2CJlWGPfP1qpW9GWUB7se+wqc8MF5KO1EFxwyYbaItgUwAAPxEM3mbZlqvS1+MkoGhNJA/P
    BJXxlbohDCDZVkaZjhY57dsP/nerbeD0jUlvn+jhMucldcmQfo7G3dlG2YsnLBEpNwRil5sNpZTFsMed/XR0CoCRoszjYNrdU= fQgsVdBF9WVL7m7vMoHaT
    PoRJ+hsWBDhGIlqrbik+krZNwZUC7CU0HrMo3lKNrjQ+bzzqHd33CzklFLCcUxiM3NZVJ5jdmhZoJj2aWWfIPpccKCRbgHXanTwJAzEWx1RUmFmfhAPpMLjU
    8nX7T7GdAejv4MVVgVDyqs5Ao35N+ukcoOQAkrUzfkBESUx2BeYJc7EQkNtnssNQKZ0m4DheOAYfhaOMIo01evSe+UetG3T4hhrNy+YGTsWLq/6Z/+MHxxUb
    KU8OensicyxqfeN3o5p

    +2Z3qfWZHkmx94yio9GC799AHyaYvtM/VfyV+FPABkQ= Nnmtb294zoJ6QMtQcfKZMPtc78WA0ZNf OBz/yCs/x/R83oBtHEtf4gpJbQdXwtzPo9j7widjgq
    FYIWlmySXW6XKaL+BWq9HwPPjcjVE3moyHXhQ0peg1uAuwoBQSdqoMzZX37o5ze7tg0y9poJZrcz8Ca53F2a7ARX15I8VX/aRtKpbezvJESQOmTnwBwIkMP5
    9y6bpCQe0Y5NOMjHmXIGgctytwDuF4cbM0auVJ+lcxgiBI/MY6TMZbeEHuOzG9EmkevciL7vmyER+neXCaQplU/WddT++nrCYZPXKbA00= +tcWoNIVHD7OE
    zSAf8ZpvXrPKI3x0ekqsU2uZ/EmfkAlUsZJooA64ji0HRbB2evZ/lJg9qAgAz/96sXl6MFq1KvLgbhYu+8/hT7Do9lpTNCUV4unKAvTIYl3diFbTURx82LMo
    e+sxedHZPcQir08y6yrYWhqdzE8H9O9fEMaD4ynX6tEYbxghqgmFsEEmMKaopko3BKZLpDeLZRI3dFTnlauckPQJJ/kL9G7IWSLeRRRBBekiI2ly0lzT/ZlO
    013NliH9gJcQKbyZySOKo+YNNWyBQkhIxsq

    JNGxe4iirI7+dDuraUn1ZChypx7pTNYq0BWppMhZYik= U2E+EzUiNzWioieADP3s53Ld08/IW0B/ 7yHmjD2TUzg95fZzkJ0A6DSgNFUz/hj/TxFewpWbMH
    N6mGttUpG8I1moO4x1l0ExZ2V8PuMQORdM0bgs2GCKV6PDTY559VEXete8UUJmNz0qQkleqrgjQmMdMs/yd9KRV5G/M23pIuN/EyQFjI/pv0Oo4N4DD6xp06
    kBYhJG9Gn7Z+++MeIvhiniwjUyR3pgTXAuRXp6lFbXWIrA7CHjD199hn+tTwtHbhAEk7Y4uvdtejJc9kM5IHcOz68+i96Ay1V7h5Q6L6FS4VHKIXvk3Bb3P9
    leXEk3TIO0F59hRQ== 04mzuSQWbbjlckv2hglwtXo1bwB8lu1yz3osDZmQa1Fz1weXfHkWdXu3Yo91IXcN/8BsYaWL4ouoWBMoaO/11a4kHP2Wq0AsHBB5z
    cchbrk3DOk6lwenuhBywIlIU1jZBZ1dCULqiK0JHyLYWJN7vb++W+6D4pLWp7xRyDmtjD0ucqlTSDFppW9Hb+CmDWK047kJGxrGVtVtPcBDOsEhcVoyN2mmA
    OOfwc32NIb/L5VPqZPK0oX20zKEVjxCuYslAI/eq5TqqiGfYJ0IugAdLPOf5RSIy3PsWOL6ITLpr2jTA3NB05UPimazmJEM8uk=

    wQmU5YSomj/4knJixHtWZgWbUqWKxiNyTtmMbnOlNfQ= AkjgT0FVQ9m3hHjQg8h1371+0fe5X5UF ykKTIAccQQgq5tlsYZCiteY8gcPmXUzlq0fjzRkcKH
    n9R+H31jJRljUhZX35tQsAASq5EuK5OmRDHCTuTo1E7bbwm+160FnT+Owhhwua/9ppxdh3XMvk+C5q7nKya5s/Y7Z5yF5w6hvp+0o5mFeFJ73x7SaawLmFw5
    7N+L14nK7wPeAbZ4YF8Q0cTdPSpMO4tvp0sy+buKUxyLTY4/fJw71OF+UHQRN1GsjCFecpL406Z+DGO7QfClqGWQD9uETI+rYqILonijuMCcORa+J/65+cnw
    nJ3T+lWKgLt4ysxE0= X+bzipSXeOpyHric+yR4/VkAlBAo86gfSEq+j+PzZz5jHrzb9HifXm5mWTzbcHtSPbDtoH5b2FTnjTCC8YddDic43239AS76mtcqb
    usH6bstBVcHZapwsOZAx9L7zdv5qBpX4TR9Sg82wBu1rwKlx0egA4GsXN1CAiTux2JovrzOz9GRGVFPFWtt418PCB4ZWOTRqZjhcI6+72kQvW3a8GreAeH2a
    ebf/33/YdvfZCfi0WvJXd9+am50bUj7/Xb7RGCfthLjGtmoAQlAoQ6DV2GwBpuNorDD27rRr2Bx03ZC82PEDIkiP101rhTAhoz8

    LiJi9nFvwiBshGCgbpF1QAOZO4c6+eOianL7b6JD1rI= okiLw1W6tByxNnUZL5UCEsyw40xge0GG Dt6L8ddXOJXpXRMxvlZZY7knyULdvDw5fV5dypsg35
    nQf0sAK52tAlAMmInkfzBNtF4S/zPS73WUkVJHCRd99SbG/FCo6AKlHqfj1swDP+LNJQs+mYmted0iuoYVwxk8pFYIjOo3Pz8q834HZdDq9dZjbGmkLmS0E3
    ZPpsqfsU5PtigOotuTBRqJsTGGQpF/xm6F4tCfqaxB06ylCymGaypzwhSOidtBdsFTOsDH16qWZKBsC1fX7OObxl7hpg461ooxftmbugg5cSGyKYyKVjaf5L
    cBnalrBv/AXKqwvK5l NNz+z9VFzkSDtIdlUYJA+RkXdyg7SxUIh8ECBdYsHQdwdHxVDQpyGmGO0UQvqj8J7enOFziB/oGbGbIm4X2wv37qr2eiJg77Yr+hh
    miBqoM2/GcFh/7IzVaUXDFvYCRxToyIUWkxVNvj/4dBn23RDurnbU2SQZ+QRF2gGEsuVlbwlioPqlubUlVXtDvjwq4cjqhy56iKe3pmshpUZIIqY444MnvX4
    er881N/7wOKdsoUhgaSFpYo09BVEuULhTd4CKJi9e3WaW6x8d9B9ahDLlv27Zik23VfoAsRgfc2thKKJnajHzlN4YprJMN/ZhINjw==

    /Vi1MlqYugGCZgzMw8zHSp2SN71ru1vYzbU/gf9AQxE= mDSJNFfo5X5WqUj4r1FOM1yazE8JNg/E htDr0UqcpTFDSRY7V7cRd+F5sDiXethD0jWuwoNiq+
    MouIBLz/PnG/B6sfPWDaSf4W/qfiNnL5w8wvMvkXZ/5VLFKzmHaix84GrCalG2D+lvuVCqellxDk0F4vJ29ESYGFx5JWsuA+wcy7lkTm7qDbzUgzYEiAwGoO
    hf+dzJm5jISFQkw6pWauBrRQ3zSrm1OAZlD3J+IS8Uu7BkQbwbc5FM7uWo6Ee2lIky4qxob1DryJO7Bgr7HB8dXv/HA1EU4gp97hP5ZirhQElUuKLQMAi6fS
    +nKAin6O6V70MiWYbgEQ6/y6u1d00vKghY59NP MpAok1iML4cN2UpLRH4WXMbpWd7SqTRW9Y+AesV2+1W02P9j0xbqJZp54c/Fqe6EK4bNcdec7Pgh3cJSn
    ZIr8owcWfgH7wapHt0iW6zwV1VKpb1FFBBdUOKy+sWAZeLIjv+Cx6EeMZ6Lw+bpr48c/Gg17BiKU9FmINPuk+5RHgXa1C21c+EZ6gA4oYioRaUT6nU1NHsbq
    G0BA4e3PvcDin4NrKRT29uHjaAF6dfEG9XA60FzaE7Pi+eZ1QR+KcMRyxwPvxwecbZZm613pquTr1TY4T0kIkyT//em1/t+5aKpb5XMWeZ6Ew1Rywtv5HMiE
    y37ryvRkYwu5EoPltKGrA==

    RRMYquNTsrmgM+1g+wbR1iXWtl+D1if8YSDqVB1uQ3E= d69UK9ul5BvLIrwAM6sHFORkoUfL4awU //////////////////////////////////////////
    ////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////
    ////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////
    ////////////////////////////////////////////////////////// 4GdjRzvpdRGOiHxnXGsuYv6IIBf53UyVfGP5ueiJs/oqle7AP9hU/VrvS7BLE
    pCYvnRYcPJyNZrq1Qr1qw8aY9v81rse112tUpmDwdo6kmFgiOGNY2znGlHTHuukZ/jD/0rgDs770T/RnfkkfVmP61R7WMSqc5s6m5MqoQaNAtvHliURi9VwC
    SzDr8q6NojpLFtArgPCgomHPayArlaY5NHlQXqGbsj3IiLRCnny4DD4I1CjnQFsYxD15bLyH55eJxJKmvtYppHTqMVSaXCDTfXnufGwGZaRFyoRfk0H7FZ3M
    6z3uUWXiQKOnlhfn1Vi3sLCOw6p43bHE4oHwq6etePk909u2zWRM1WP+1zYIg==

    ebv5WZcfkWu6npz06qya4oRYqx/3JKaPY3ra9tEKQcI= dlMYNe4tUGFzDUxbOKDLxBemUtJa6QZP dh1v0gjEzs34/7Ru73R3Fu8gnAx1sIu0uPA0ecFuGj
    LZNWpfnKWhisTFZOt81ENyEipqMRtkxFLOaT9dmP3AvHlboeU4FXt5nJDAB/ebtKEOTyppa8h9P3S70886whqgrlpExJ4tn2c9AWgK3DMlYJo37AhzBcx2LD
    0FEHeQp838JYrrxnzfDzrMy0HRrucxLDBOvysNFxB5fQfmVasJm9JCzVYT4utc92m2RU2nwFVJJSv1IsYp9F5N8p1wbCgLP7wdQ6eNFr+kcHW3ESSIsCoSBV
    EMNprslrWPRrfKIkw8LfcAcPK4uAZvcsGQJ3eYshid6iigP84HhEyi/QRN8g== xb1WE/d6m6Jo91VgGeexUhmvqmfcjvpol0WzzZGsQK7cMHn2amAb5yB67
    qz785ioEz3QgDWUjOEbtAmWgDACOlSlSZh6tNU+pxJGakLnVvbCh257taCY9xvq7W4UgdCfbacatn6NjN+LA8EjIw3EYKoRCKigf1YuX+ii8Mq9pMIERVsTA
    vpbNTnDZ/p4GVgvKZhhn8UaHlQogDCzyMDGywqExLamaPo38Vpt5x3d1p1nyzxsKXymUYC4K1bIz1psoFUuyLKdOcY9kPpzbp1brCEhpKoa5Zl5NJYYoB4TJ
    IW0sMKJhQpq+Gnos+6KzuPnyal0cLFqtY3qPitYpEBIRenzRsGxk/5HMSUeqOPYKTk=

    f9d48cmauRDvrzUG8e9108Oo3jsge3UbYv2leUqsL7c= QmHv9AL+OnfRezP0ok+/xhui8mIYQjDK oJpEQHkE3ukObBBu1r+W0FZNVH6ZGvkhduyX7Q5JHX
    8SG9UuooA6Aggedc2Xs1nu/owNvZAJpk2dFqDS4h0usenV1sVYmLwmYgN1m/TVczwxsOpTXWF63PnyzVGgwfV1MsGiXBRIqcgeckHIi+iAmIBROhSe4QqDiQ
    aDMqR+RWSEHb3AG6jxKJ2LTz95v2Jo91eSEIylSKbkSqsIngdQe6HXdo2u/muLTeZkU9MiIynACvL6AakybaZkK+Jiyu8azQXi/IxoeRLf6s9DmePln/tvhh
    Wu1lU1bCavGD+bymshE5x/fOMJ/SOQs7UJo9z4lSxsclZNViz9SfQ7wMYHImo= n7gpgcVv09VMYAlJbMW4H8CoMvS5DGcyJnV4FDLvpvTJOAZrXK5XXPqBH
    Qt4VfXQel6M1go2PW73rvq9h3JneNAP0GS3pPnvffkN+RQ5VbY7e2zI7rIWw0G4zi6mOlqRXoWi8xlQOzr3A+PhL1K1uzlV7sk3VLXHykr1CmZwuw2G8Mi8R
    dKcEVR33LVI3KCpZtroNom9FXkpmkJ7nE5Fh4+E0XaTELDFWMok642lXmE/TNdRZjU+W7N5nl7B8umQHA1XgAlN5PMXz8pGByiINQEE2K/E6xDeTBNCgcwJ4
    FRC2mRRSp5GFL6jkqruIDoagEcfKiaVGiBY/SKgIIARstBQMSzl4GF9U4dqBDraSv6x

    nRn/dV97zJ58yCnk8WGSrOuWJDxsbHu/eV7fiQ0l1Ng= 25YcxnzFF6qn9XLC/6YEHxK8ncdxVUPX t5A+S5NONUtKjoZH3FIfkU/AhUS4B3tf1tgJQbX88b
    xiUaVCNh/+Mj1ffHDqg1c/CGyMLyyfzj69/Uk8oB9AJ2/SBkho0ljiMWRW6Dc1CpQyKTEwweGKU0YAlxA00WRlMmFsQLweEf5Wh/Y++wTggZkrvIYTyDs7lt
    lOpgMd9s5AJr0ZsmhAp80tw3YTRa/9Qll6CTd1Mhr2ZCYBWQ2KeRjSAOILt7DRGkIqO6GzLtcomsNyOoQU6lVbtl+iJ1UK2Fl74EVyLkvL2p47NvuEHnNv5g
    w13ocw5+25mfU+FPkt5fLTwS9MlSyTtDHg3R/uPdc6E+vrSl+fRj6DR4W63TidgS0mIPlyGflgmnP3i0JDSGbGjFgcxzhsLaoliBny KQlnUclOqAZ4EOzm9
    wKMCw6fVx7013hQGz1Og1b7JVeRzY74NfXc3I7qr0GJa5pyMYAZpSTp1uzoM2zEKesUlYw8lQ5b9pMdx+eWJblxayg5jk6a+QLur+BJvJWD1ycSjJx0f8PUF
    DQyLoGe4NXCKiQZFwnuzjn49vS4CRJg1avxNpN4TBGmawPdmyMcltONZ4crmm6oMmRQOcUOAOSrswvJ6SXTCPAvwdMQ0Ch18qpiMxZzWDnGgfSsmDcdOJPS5
    +BhZebUvFUIXdFeyFp30x8l5ETDywKvNfCpQM/vLIvskzDZufrJ+h81TrPdAlNiUycE8ESBb8Bc/8FvFjhCF/GevMV1RhjD2I7d+GxVV7aOF8AbQ8GikKeK+
    iBMv3ExCblfA6PlyY9q0jQlJBZYWQ==

    gXefAfZmFBu9ZjCjHBidmIpMr7Uu6bSeP+qFWUictzc= fJ6WCRavY15NUwtXbcowJHx/TguqzDc0 Dbr3/8YFQkGS1ckJXM9zmcFSc7tAENKmH/f46dzCFD
    RkC5PQ+8npAukLn9EKm8ZTquOzaMRcpq0N5C5fTqtlL5LC+p5AD+xPcIjzEyKIEjSwMQ4I44uXy5BL4X6DqkyM8x3He42IMhAS1X1odYz0GZRsvMtIKjJl76
    L9qYfR1YwBu5Ankm2ho8gJtIjexlUXCNUupwaL5yn9ZNRlzB4Gsiwxa0Uj7edo0Tb9/EhthkhuqPWqgJi+TjHq92oeLwT0VPklDcXy9k9Fcc6+b3UHkdfTOe
    LfQnBbDyYBajMqnGpjnqkEBkA/3VQARMTmgiL/oEpezabGIF0hhvyko817Mlj0BmQeSWC6+FasZwuIIzRCFibx+CCBAQ1jJW8YQ9HmN8QUKOIxe2wx6RAd 6
    hXejZiP4Wvg/H1RisreSI+f7hMhWGYw35AqHf/6fLPpZjJMsCV1jiVmICd6qNTo0C6BXahJGFQ0GSkVDV7PffsiQ8Yr1UNrMISzZwZuiD6H+/1Ps64sfyAF1
    Rhqvgwgiq7DHnppTF+To409hGoOXI3uQ6FN3zFMn903EGWQNqJfGYGn7O/OIenS/TCmctj7XqQuDX/4WotEhYdxshqZykjVzHfgAailmkOPbj36HTgnFvAQt
    zhuPQ3G58agW0EhX9hA/au4cHsQ2QcAycnCOrbdQKOltWIBcLr77iAE3Gp8BKyctSAWdeIs6gvUId+1fWtETPCFAg7+W2WqMspwtMy1d3WcefIVaAhxscMqY
    SA/5WJyf2vVhp/nkYlz4BqgUlRZcvI4a6tbpZJ3OEstOzY9INNz5SPAE1U4nw==

    /qwD0go5KhfD4f1nlGrqk/2qAeKtwV5dfPP9dS/m5sU= jYWcKVoMRiGbL8wD7ug7DZ49Mo21q3ok crsCpMSzdM4NS+jo0WKPZTK+yhadP6eSDSVInwTJXu
    2Lm+9eo1i8vNR9JIF1l/MrwNZYJWDrElmLBYZIjLBsKR2raoUQH/or7Y3t7JVALRES2dkbznA8YlYKkn2oCOnAwkMIzjwAysq/MIX3UXUBzm/8hDLtqDZNVi
    hsIJrJWNbzaG3xMaQiC7trvfnHK63pVJ6Uez/GhFBK9KkNgpqOm3pVGe3A/uiiUhlNYztkFxZ1BHvnaPdZtv/Lzp739S6w5RUW0weTIeSG2wcpMk3so1rdK8
    lEUknbq+nZONJV/Z65TIxn+eJeneN7qtgrdTQyPqVF1KOXE3lg1NYukte/kJDR1zfwrK0K8LlVZjLARPCrmpSEXQAPKKMPMmKgCPVb6KSAH456QyZyQD8/TU
    p/+GHpkbnEa87QbiC15YbzTTE= fcacrK6QxO8BwDucDFL8A8i8dovp7AkhmQOzBNg/TnFp+Ki58Zoa909JkTX4TSVAeLOgZwaDgpD1r3RT4hBzc/3uKGjwQ
    BR7/AI/EpmxsPFCmY1c6WDnXV69cmWTG9m15gP1pe6RiCFr4WOcCb4Do2xM4VPm20qviVpE6NwOu7yrVBQhC3RAi9CZJjXzlDXsnAwezzm7EE5vsVNhBbiB0
    ZebT5ZcZbfwSt+xPc+rsVqu6B/C1ebLp8gf7q66Y5KrcEeagjBazUI3uvlogfC6Mw+K7zXzwqDB+3c4akEB2LYsDczlCOSGbjSA6agdvs+TPUolZD1xtXUV3
    wCykBn3811uQNYRd2tVAjvps64deMbXUf/O4d9nrwsHi1eifeUNor3OrXjML3wd3lUnudVS6nJyWKsxbZjdu90hBLu4R3u2ls27QrEhY1GbcPgOnu1q

    RneFCl/QROJ3uvWPpxit1xb76MFOzRisc83CCZRC+6o= 7Y2U1nj0/lK0niMee1PMY74geplA86p0 YDLQjOaxWNkf2oWgy6cwx9QMZE6XsCamY9SJa//05k
    7Q4yaVhW3PP0BJ/WyqZqNjYuqpqCM0EV4mymByl4PqgDTgN3DyeMMtOuz7BRPo5QC3sm+ev4Nz/A/6T33hIxx3nWc5PKm4YnI+AnnDpPJanjdvrMeICKjRMW
    5SdbjSJ9ZmPPgtEdp+z97eJHkL1nxmflZpG9/RLhEXfOIgcJPLW5e8O240a4ZdNIN6F39aYs0FwiRxp48cgW7tmYLNbTeoVLFvCjolaApiie2iK3BZIWq/DR
    XuchDsM1zFu1JWUFCRKBPH1rRruJ138IK5x3gUZU7kDVPuhsDWKgGBMQkW5e6au2DGVhqndRVs83YixMg8Ed0i3IeeBnXyaNvUUv4QgP4B/zE3N53w4Wm7VO
    1KsREmo9BF9g0cRM2WMdKusSH7 GouIBpSrXpXoaXF2RRMZLHeDhFDuD/xCkWQv9JbOC2Nk8pMwtNVkyq8jhCI7NN7Re+TCTqtWUD/OkVBmEe82V/qieqO90
    qOB/KxzAUsGLU0423Hg31pFQkelC4ULMCROLe5j9saCNfpliKSSQH4nrbrwdW9y7O9iNjBK7vj5PE7NYktUavwei8YjKSLcv1ou8tNpFWZULVOmU9/xnLKZx
    0QLN1EyHYoLQYiv6qzUES8sOJqLYjVEZq04NFahHhzM3x4v5x39FyXtHjRDnSy7ZwzTuKJwprA28X5HCsK6kkRQCuvSsGQXPna4g0DU80VVngIl55ugSKk7P
    NeNeqeA6HOlHcxqbiHHDJNt91JkpVwdyGaiaW8wLZJlZIcH2ceRh9HriAwOqEkIctnSC88DgqwXGvZ/5LdNT7/1VHRxGZ/Te02mEMorhCQoyU/ZDAAOTQ==

    Y+e84q0w632+m7JJ5k/m9AVdnc9jrYHq+4mDy5O/RCo= inmmrxZf08kMp5i4CLg67tzDmziDq8UQ //////////////////////////////////////////
    ////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////
    ////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////
    ////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////
    ////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////
    ///////////w== bQtzcrByPsaD+YwfX/2C1MpyCTpjUgx2a0GA5YWsisZqoLwGQ+dQiiYEe0qaPhYv/mCGwsYdPGKqgNJMYdiWYO0f1f2DFyW2qQSg2caTn
    htNK62F+i90+Bj/RB23ZNX6S1+zRGBL6FrUw8EgOSJbnpqDxYWfSsbbrdK1JPe8/CayMvsh+dGZ2Kmxd738esBKVnSR+sR5nBDunt3iU4IysmifCLIcK57hl
    Sn8Jn/YFH6WXp1dHuUR1pwIL1qoF6cAGHAdaC48glHkbH6zOHkagDcDXtu6bSbc70+4LeE7HEaxGRfQ1Md/UnCB0TOgVlFbkjjz/X2EYarx0sAyHbVCBUPA+
    2uP9MfN6/EwnvHr7out5B2dtrWRLC+4cVu7hrhrpEC+v72FE/8M/iTmdtp6sUt4cMUS5hVFEaYMe+vVYfO5xfQsL//2DSPptzkw+f5b5fINyFoGRPggMrTPv
    RM/CIdLBKPDsrssttqtWNBcSkX+GzRFGAYKbg9BniqpHqk+MwOOPSiX1ZM0WMRwiFUWEniM4Xz+eWYhwxRQTBXVblc=
    """
