"""Generic prompts and rules. A prompt that is no nearer to a rule than to these does not need the rule."""

from __future__ import annotations

USUAL_PROMPTS = {
    "en": """fix the failing build
why is the page so slow
what does this function do
refactor this class
continue
make it faster
remove the unused import
how do I run this locally
create a new file for the helper
the login is broken on mobile
use a dictionary instead
what happens when the input is empty
the tests fail on windows
undo the last change
split this function into two
implement the plan we discussed
download the data and plot it
upgrade the library to the latest version
handle the timeout properly
the query returns duplicate rows
translate the comments to English
review the code you wrote
convert the project to typescript
the docker image does not start
send an email when the job is done
list all endpoints
compare both approaches
let users upload a picture
the button overlaps the text
add pagination to the table
generate the client from the schema
log the response of the server""",
    "de": """behebe den fehlgeschlagenen build
warum ist die seite so langsam
was macht diese funktion
räum diese klasse auf
mach weiter
mach es schneller
entferne den unbenutzten import
wie starte ich das lokal
lege eine neue datei für die hilfsfunktion an
der login ist auf dem handy kaputt
nimm stattdessen ein dictionary
was passiert wenn die eingabe leer ist
die tests schlagen unter windows fehl
mach die letzte änderung rückgängig
teile diese funktion in zwei auf
setze den besprochenen plan um
lade die daten herunter und zeichne sie
aktualisiere die bibliothek auf die neueste version
die abfrage liefert doppelte zeilen
übersetze die kommentare ins englische
prüfe den code den du geschrieben hast
stelle das projekt auf typescript um
das docker image startet nicht
schicke eine mail wenn der job fertig ist
liste alle endpunkte auf
vergleiche beide ansätze
der button überdeckt den text
füge der tabelle eine seitennavigation hinzu
schreib einen test dafür
logge die antwort des servers""",
    "fr": """corrige le build qui échoue
pourquoi la page est si lente
que fait cette fonction
refactorise cette classe
continue
rends-le plus rapide
supprime l'import inutilisé
comment lancer ça en local
crée un nouveau fichier pour la fonction utilitaire
le login est cassé sur mobile
utilise un dictionnaire à la place
que se passe-t-il quand l'entrée est vide
les tests échouent sous windows
annule la dernière modification
sépare cette fonction en deux
implémente le plan dont on a parlé
télécharge les données et trace-les
mets la librairie à jour vers la dernière version
la requête renvoie des lignes en double
traduis les commentaires en anglais
relis le code que tu as écrit
convertis le projet en typescript
l'image docker ne démarre pas
envoie un mail quand le job est fini
liste tous les endpoints
compare les deux approches
le bouton recouvre le texte
ajoute une pagination au tableau
écris un test pour ça
logge la réponse du serveur""",
    "es": """arregla el build que falla
por qué es tan lenta la página
qué hace esta función
refactoriza esta clase
continúa
hazlo más rápido
quita el import sin usar
cómo ejecuto esto en local
crea un archivo nuevo para la función auxiliar
el login está roto en el móvil
usa un diccionario en su lugar
qué pasa cuando la entrada está vacía
los tests fallan en windows
deshaz el último cambio
divide esta función en dos
implementa el plan que comentamos
descarga los datos y dibújalos
actualiza la librería a la última versión
la consulta devuelve filas duplicadas
traduce los comentarios al inglés
revisa el código que escribiste
convierte el proyecto a typescript
la imagen de docker no arranca
envía un correo cuando termine el job
lista todos los endpoints
compara los dos enfoques
el botón tapa el texto
añade paginación a la tabla
escribe un test para eso
registra la respuesta del servidor""",
    "ja": """失敗しているビルドを直して
なぜこのページは遅いのですか
この関数は何をしていますか
このクラスをリファクタリングして
続けて
もっと速くして
使っていないインポートを削除して
これはローカルでどう実行しますか
ヘルパー用に新しいファイルを作って
スマホでログインできません
代わりに辞書を使って
入力が空のときはどうなりますか
windowsでテストが失敗します
最後の変更を元に戻して
この関数を二つに分けて
話した計画を実装してください
データをダウンロードしてグラフにして
ライブラリを最新版に更新して
クエリが重複した行を返します
コメントを英語に翻訳して
書いたコードをレビューして
プロジェクトをtypescriptに変換して
dockerイメージが起動しません
ジョブが終わったらメールを送って
エンドポイントを全部列挙して
両方の方法を比較して
ボタンが文字に重なっています
表にページ送りを追加して
そのテストを書いてください
サーバーの応答をログに出して""",
    "zh": """修复失败的构建
为什么这个页面这么慢
这个函数是做什么的
重构这个类
继续
让它更快一点
删除没用到的导入
这个在本地怎么运行
为辅助函数新建一个文件
手机上登录坏了
改用字典
输入为空时会发生什么
windows上测试失败
撤销上一次修改
把这个函数拆成两个
实现我们讨论的方案
下载数据并画图
把库升级到最新版本
查询返回了重复的行
把注释翻译成英文
检查你写的代码
把项目转换成typescript
docker镜像启动不了
任务完成后发一封邮件
列出所有接口
比较两种方案
按钮盖住了文字
给表格加分页
为此写一个测试
把服务器的响应记到日志""",
}
"""Prompts that no rule applies to, by language; together with the rules they give the rarity of a word or topic."""

USUAL_RULES = {
    "en": """Write tests for new features.
Use descriptive names.
Run the linter before each commit.
Never push to main.
Handle errors explicitly.
Log with levels, not with print.
Do not add dependencies without asking.
Use transactions for related writes.
Update the changelog.
Cache expensive results.
Use environment variables for configuration.
Answer in short sentences.
Use the package manager of the project.
Never expose internal errors to users.
Images are compressed before upload.""",
    "de": """Schreibe Tests für neue Funktionen.
Verwende sprechende Namen.
Lass vor jedem Commit den Linter laufen.
Nie direkt auf main pushen.
Behandle Fehler ausdrücklich.
Logge mit Stufen, nicht mit print.
Füge keine Abhängigkeiten hinzu, ohne zu fragen.
Nutze Transaktionen für zusammengehörende Schreibvorgänge.
Aktualisiere das Changelog.
Speichere teure Ergebnisse im Cache.
Konfiguration kommt aus Umgebungsvariablen.
Antworte in kurzen Sätzen.
Nimm den Paketmanager des Projekts.
Zeige Nutzern nie interne Fehler.
Bilder werden vor dem Hochladen komprimiert.""",
    "fr": """Écris des tests pour les nouvelles fonctionnalités.
Utilise des noms parlants.
Lance le linter avant chaque commit.
Ne pousse jamais directement sur main.
Traite les erreurs explicitement.
Logge avec des niveaux, pas avec print.
N'ajoute pas de dépendances sans demander.
Utilise des transactions pour les écritures liées.
Mets à jour le changelog.
Garde les résultats coûteux en cache.
La configuration vient des variables d'environnement.
Réponds en phrases courtes.
Utilise le gestionnaire de paquets du projet.
Ne montre jamais les erreurs internes aux utilisateurs.
Les images sont compressées avant l'envoi.""",
    "es": """Escribe tests para las funcionalidades nuevas.
Usa nombres descriptivos.
Ejecuta el linter antes de cada commit.
Nunca hagas push directo a main.
Trata los errores de forma explícita.
Registra con niveles, no con print.
No añadas dependencias sin preguntar.
Usa transacciones para escrituras relacionadas.
Actualiza el changelog.
Guarda en caché los resultados costosos.
La configuración viene de variables de entorno.
Responde con frases cortas.
Usa el gestor de paquetes del proyecto.
Nunca muestres errores internos a los usuarios.
Las imágenes se comprimen antes de subirlas.""",
    "ja": """新しい機能にはテストを書く。
分かりやすい名前を使う。
コミットの前にリンターを実行する。
mainに直接pushしない。
エラーは明示的に処理する。
printではなくレベル付きでログを出す。
確認なしに依存を追加しない。
関連する書き込みはトランザクションにする。
changelogを更新する。
重い結果はキャッシュする。
設定は環境変数から読む。
短い文で答える。
プロジェクトのパッケージマネージャを使う。
内部エラーをユーザーに見せない。
画像はアップロード前に圧縮する。""",
    "zh": """新功能要写测试。
使用有意义的名字。
提交前运行linter。
不要直接推送到main。
显式处理错误。
用日志级别，不要用print。
不询问就不要添加依赖。
相关的写入使用事务。
更新changelog。
缓存开销大的结果。
配置来自环境变量。
用简短的句子回答。
使用项目的包管理器。
不要向用户暴露内部错误。
图片上传前要压缩。""",
}
"""Rules of no project in particular, by language; the nearest of them give a prompt's similarity to any rule."""
